import { isApiError, secrets, sleep } from '@ordinal/client';
import type {
  Client,
  Clock,
  Instant,
  KubernetesObject,
  KubernetesObjectInput,
  ResourceDescriptor,
  Secret,
} from '@ordinal/client';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import { messageOf } from '../cache/watch-failure.ts';
import { silentLogger } from '../log/silent.ts';
import type { Logger } from '../reconciler.ts';
import { issueCertificate, signersOf, validityOf } from './certificate-authority.ts';
import type { IssuedCertificate } from './certificate-authority.ts';
import type { ServingCertificate } from './server.ts';

/** Where certificates are kept, and who has to trust them. */
export interface CertificateControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The Secret that all replicas share. It is made when it is not there. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly dnsNames: readonly string[];
  /** Names of the webhook configurations, and of the definitions with a conversion webhook, whose `caBundle` is kept current. */
  readonly configurations: {
    readonly validating?: readonly string[];
    readonly mutating?: readonly string[];
    readonly definitions?: readonly string[];
  };
  readonly logger?: Logger;
  /** How long a certificate is valid; it is replaced after two thirds of that. 90 days by default. */
  readonly validMs?: number;
}

/** What is kept. */
export interface KeptCertificate extends ServingCertificate {
  /** What clients have to trust: the present authority and the one before it. */
  readonly authorities: string;
}

const day = 86_400_000;
/** How long API servers are given to learn of a new authority. */
const settleMs = 60_000;
/** How often it is examined: a configuration that was deleted and applied again has no authority until the next time, and until then its webhooks fail. */
const lookEveryMs = 10_000;
/** And after a failure. */
const retryMs = 10_000;

/** A certificate as the Secret has it, with the one that comes after it: served once all who ask have had time to learn of its authority. */
interface Stored extends KeptCertificate {
  readonly next?: ServingCertificate | undefined;
}

/**
 * Issues the serving certificate of webhooks, keeps it in a Secret, renews it in time, and writes its authority into the webhook configurations, all in the
 * process: no cert-manager.
 *
 * **Guarantees.** No request fails because of a renewal. The new certificate is kept beside the old one first, and both authorities are trusted; it is served when its
 * authority has been seen in all configurations for a minute. The old authority stays trusted until the next time, since other replicas still serve with it.
 */
export class CertificateController {
  readonly #options: CertificateControllerOptions;
  readonly #log: Logger;
  /** Which authorities were seen in all configurations, and since when. */
  #inPlace: { readonly authorities: string; readonly since: Instant } | undefined;

  constructor(options: CertificateControllerOptions) {
    this.#options = options;
    this.#log = options.logger ?? silentLogger;
  }

  /** The certificate to serve with, issued or renewed if need be, with its authority in the configurations. */
  async current(): Promise<KeptCertificate> {
    const stored = await this.#keep();
    await this.#inject(stored.authorities);
    const now = this.#options.clock.now();
    if (this.#inPlace?.authorities !== stored.authorities)
      this.#inPlace = { authorities: stored.authorities, since: now };
    const isKnown = now - this.#inPlace.since >= settleMs;
    return stored.next !== undefined && isKnown ? await this.#promote(stored, stored.next) : stored;
  }

  /** Keeps it current until the signal is aborted; `use` is called whenever it is another one. Never rejects. */
  async run(signal: AbortSignal, use: (certificate: KeptCertificate) => void): Promise<void> {
    let last = '';
    while (!signal.aborted) {
      const wait = await this.current().then(
        (kept) => {
          if (kept.certificate !== last) use(kept);
          last = kept.certificate;
          return lookEveryMs;
        },
        (error: unknown) => {
          this.#log.error({ error: messageOf(error) }, 'the webhook certificate could not be kept current');
          return retryMs;
        },
      );
      await sleep(this.#options.clock, wait, signal).catch(() => undefined);
    }
  }

  async #keep(): Promise<Stored> {
    const present = await this.#secret();
    const known = present === undefined ? undefined : storedIn(present);
    if (known !== undefined && this.#isFresh(known.certificate)) return known;
    const isServed = known !== undefined && this.#isUsable(known.certificate);
    if (known?.next !== undefined && this.#isFresh(known.next.certificate))
      return isServed ? known : await this.#promote(known, known.next);
    const { certificate, key, authority } = await this.#issue();
    const authorities = authority + (known === undefined ? '' : signersOf(known.certificate, known.authorities));
    const renewed = isServed
      ? { ...known, next: { certificate, key }, authorities }
      : { certificate, key, authorities };
    return await this.#write(renewed, present);
  }

  /** The next certificate takes the place of the one that is served. */
  async #promote({ authorities }: Stored, { certificate, key }: ServingCertificate): Promise<Stored> {
    const present = await this.#secret();
    const known = present === undefined ? undefined : storedIn(present);
    // Another replica has done it, or it is another one by now.
    if (known?.next?.certificate !== certificate) return known ?? (await this.#keep());
    return await this.#write({ certificate, key, authorities }, present);
  }

  async #secret(): Promise<Secret | undefined> {
    const { client, secret } = this.#options;
    return await client(secrets).namespace(secret.namespace).find(secret.name);
  }

  async #write(stored: Stored, present: Secret | undefined): Promise<Stored> {
    const { client, secret } = this.#options;
    const resource = client(secrets).namespace(secret.namespace);
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret.name },
      type: 'kubernetes.io/tls',
      data: dataOf(stored),
    } as const;
    try {
      if (present === undefined) await resource.create(body);
      else
        await resource.update({
          ...body,
          metadata: { ...body.metadata, resourceVersion: present.metadata.resourceVersion },
        });
      return stored;
    } catch (error) {
      // Another replica was faster: its certificate is the one.
      if (isApiError(error, 'Conflict', 'AlreadyExists')) return await this.#keep();
      throw error;
    }
  }

  async #issue(): Promise<IssuedCertificate> {
    const { dnsNames, clock, validMs = 90 * day } = this.#options;
    this.#log.info({ dnsNames }, 'issuing a webhook certificate');
    return await issueCertificate({ dnsNames, now: clock.now(), validMs });
  }

  /** Whether a certificate is to be served on, and not to be renewed yet. */
  #isFresh(certificate: string): boolean {
    return this.#isUsable(certificate, 2 / 3);
  }

  /** Whether a certificate is for the names that are asked for, and still within this part of its time. */
  #isUsable(certificate: string, part = 1): boolean {
    try {
      const { from, until, dnsNames } = validityOf(certificate);
      return (
        this.#options.clock.now() < from + (until - from) * part &&
        this.#options.dnsNames.every((name) => dnsNames.includes(name))
      );
    } catch {
      return false;
    }
  }

  async #inject(authorities: string): Promise<void> {
    const { validating = [], mutating = [], definitions = [] } = this.#options.configurations;
    for (const name of validating) await this.#injectInto(validatingWebhookConfigurations, name, authorities);
    for (const name of mutating) await this.#injectInto(mutatingWebhookConfigurations, name, authorities);
    for (const name of definitions) await this.#injectIntoDefinition(name, Buffer.from(authorities).toString('base64'));
  }

  async #injectIntoDefinition(name: string, caBundle: string): Promise<void> {
    const resource = this.#options.client(customResourceDefinitions).cluster();
    const definition = await resource.find(name);
    const webhook = definition?.spec.conversion?.webhook;
    if (definition === undefined || webhook === undefined) {
      this.#log.warn({ definition: name }, `there is no definition ${name} with a conversion webhook`);
      return;
    }
    if (webhook.clientConfig?.caBundle === caBundle) return;
    const { resourceVersion } = definition.metadata;
    await resource.patch(name, {
      type: 'json',
      operations: [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/spec/conversion/webhook/clientConfig/caBundle', value: caBundle },
      ],
    });
  }

  async #injectInto<Read extends KubernetesObject & Configured, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    name: string,
    authorities: string,
  ): Promise<void> {
    const caBundle = Buffer.from(authorities).toString('base64');
    const resource = this.#options.client(descriptor).cluster();
    const configuration = await resource.find(name);
    if (configuration === undefined) {
      this.#log.warn({ configuration: name }, `there is no ${descriptor.kind} ${name}: its webhooks are not called`);
      return;
    }
    const operations = (configuration.webhooks ?? []).flatMap(({ clientConfig }, position) =>
      clientConfig?.caBundle === caBundle
        ? []
        : [{ op: 'add', path: `/webhooks/${position}/clientConfig/caBundle`, value: caBundle } as const],
    );
    if (operations.length === 0) return;
    const asRead = {
      op: 'test',
      path: '/metadata/resourceVersion',
      value: configuration.metadata.resourceVersion,
    } as const;
    await resource.patch(name, { type: 'json', operations: [asRead, ...operations] });
  }
}

interface Configured {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
}

function storedIn({ data }: Secret): Stored | undefined {
  const { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities } = data ?? {};
  if (certificate === undefined || key === undefined || authorities === undefined) return undefined;
  const { 'next.crt': next, 'next.key': nextKey } = data ?? {};
  return {
    certificate: decoded(certificate),
    key: decoded(key),
    authorities: decoded(authorities),
    ...(next !== undefined && nextKey !== undefined && { next: { certificate: decoded(next), key: decoded(nextKey) } }),
  };
}

function dataOf({ certificate, key, authorities, next }: Stored): Readonly<Record<string, string>> {
  return {
    'tls.crt': encoded(certificate),
    'tls.key': encoded(key),
    'ca.crt': encoded(authorities),
    ...(next && { 'next.crt': encoded(next.certificate), 'next.key': encoded(next.key) }),
  };
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
