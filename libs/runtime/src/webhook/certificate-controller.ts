import { isApiError, secrets, sleep } from '@ordinal/client';
import type {
  Client,
  Clock,
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
import { issueCertificate, validityOf } from './certificate-authority.ts';
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
/** How often it is examined: a configuration that was deleted and applied again has no authority until the next time, and until then its webhooks fail. */
const lookEveryMs = 10_000;
/** And after a failure. */
const retryMs = 10_000;

/**
 * Issues the serving certificate of webhooks, keeps it in a Secret, renews it in time, and writes its authority into the webhook configurations, all in the
 * process: no cert-manager. When an authority is replaced, the old one stays trusted until the next time, so that no replica is refused while it still
 * serves with the old certificate.
 */
export class CertificateController {
  readonly #options: CertificateControllerOptions;
  readonly #log: Logger;

  constructor(options: CertificateControllerOptions) {
    this.#options = options;
    this.#log = options.logger ?? silentLogger;
  }

  /** The certificate to serve with, issued or renewed if need be, with its authority in the configurations. */
  async current(): Promise<KeptCertificate> {
    const kept = await this.#keep();
    await this.#inject(kept.authorities);
    return kept;
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

  async #keep(): Promise<KeptCertificate> {
    const { client, secret } = this.#options;
    const resource = client(secrets).namespace(secret.namespace);
    const present = await resource.find(secret.name);
    const known = present === undefined ? undefined : keptIn(present);
    if (known !== undefined && this.#isGood(known.certificate)) return known;
    const issued = await this.#issue();
    const kept = {
      certificate: issued.certificate,
      key: issued.key,
      authorities: issued.authority + firstOf(known?.authorities),
    };
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret.name },
      type: 'kubernetes.io/tls',
      data: dataOf(kept),
    } as const;
    try {
      if (present === undefined) await resource.create(body);
      else
        await resource.update({
          ...body,
          metadata: { ...body.metadata, resourceVersion: present.metadata.resourceVersion },
        });
      return kept;
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

  #isGood(certificate: string): boolean {
    try {
      const { from, until, dnsNames } = validityOf(certificate);
      return (
        this.#options.clock.now() < from + ((until - from) * 2) / 3 &&
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

function keptIn({ data }: Secret): KeptCertificate | undefined {
  const { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities } = data ?? {};
  if (certificate === undefined || key === undefined || authorities === undefined) return undefined;
  return { certificate: decoded(certificate), key: decoded(key), authorities: decoded(authorities) };
}

function dataOf({ certificate, key, authorities }: KeptCertificate): Readonly<Record<string, string>> {
  return { 'tls.crt': encoded(certificate), 'tls.key': encoded(key), 'ca.crt': encoded(authorities) };
}

/** The newest authority of a bundle, which comes first. */
function firstOf(authorities: string | undefined): string {
  const end = '-----END CERTIFICATE-----';
  if (authorities === undefined || !authorities.includes(end)) return '';
  return `\n${authorities.slice(0, authorities.indexOf(end) + end.length)}\n`;
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
