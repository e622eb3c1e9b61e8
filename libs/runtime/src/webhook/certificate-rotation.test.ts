import { X509Certificate } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import {
  TransportError,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import { refusal } from '../../test/scripted-api.ts';
import { world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';
import { validityOf } from './certificate-authority.ts';
import { CertificateController } from './index.ts';
import type { KeptCertificate } from './index.ts';

// Many renewals, look by look.
vi.setConfig({ testTimeout: 120_000 });

const name = 'hooks.system.svc';
const minute = 60_000;
const validMs = 60 * minute;
/** An API server learns of a changed configuration as late as this. */
const lagMs = 40_000;
const stepMs = 10_000;

/** A process of the operator: what it serves with, until it is another one. */
class Replica {
  served: KeptCertificate | undefined;
  #certificates: CertificateController;
  readonly #world: World;

  constructor(w: World) {
    this.#world = w;
    this.#certificates = this.#start();
  }

  /** Ends, and starts again: what it was about to do is forgotten. */
  async restart(): Promise<void> {
    this.served = undefined;
    this.#certificates = this.#start();
    await this.look();
  }

  /** As `run` does it every ten seconds: after a failure it serves on. */
  async look(): Promise<void> {
    this.served = await this.#certificates.current().catch(() => this.served);
  }

  #start(): CertificateController {
    const { user: client, clock } = this.#world;
    const configurations = { validating: ['hooks'], mutating: ['hooks'] };
    const secret = { namespace: 'system', name: 'hooks' };
    return new CertificateController({ client, clock, secret, dnsNames: [name], configurations, validMs });
  }
}

async function bundlesOf({ api, user }: World): Promise<readonly string[]> {
  const { intercept } = api;
  api.intercept = () => undefined;
  const found = [
    await user(validatingWebhookConfigurations).cluster().get('hooks'),
    await user(mutatingWebhookConfigurations).cluster().get('hooks'),
  ];
  api.intercept = intercept;
  return found.map(({ webhooks }) => Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString());
}

const signed = new Map<string, boolean>();

function isSigned(certificate: string, bundle: string): boolean {
  const key = certificate + bundle;
  let is = signed.get(key);
  if (is === undefined) {
    const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
    const served = new X509Certificate(certificate);
    is = authorities.some((text) => served.verify(new X509Certificate(text).publicKey));
    signed.set(key, is);
  }
  return is;
}

function isTrusted({ certificate }: KeptCertificate, bundle: string, now: number): boolean {
  const { from, until } = validityOf(certificate);
  return from <= now && now < until && isSigned(certificate, bundle);
}

interface Rotation {
  readonly world: World;
  readonly replicas: readonly [Replica, Replica];
  /** Looks and checks for so long: an API server, with what it knew a while ago, is served with what it trusts. */
  readonly pass: (ms: number, each?: (step: number) => Promise<void>) => Promise<void>;
}

async function rotation(): Promise<Rotation> {
  const w = world();
  const webhooks = [
    { name: 'a.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', clientConfig: {} },
  ] as const;
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'hooks' }, webhooks } as const;
  await w
    .user(validatingWebhookConfigurations)
    .cluster()
    .create({ ...body, kind: 'ValidatingWebhookConfiguration' });
  await w
    .user(mutatingWebhookConfigurations)
    .cluster()
    .create({ ...body, kind: 'MutatingWebhookConfiguration' });
  const replicas = [new Replica(w), new Replica(w)] as const;
  for (const replica of replicas) await replica.look();
  const known: { readonly at: number; readonly bundles: readonly string[] }[] = [
    { at: w.clock.now(), bundles: await bundlesOf(w) },
  ];
  const pass: Rotation['pass'] = async (ms, each) => {
    for (let step = 0; step * stepMs < ms; step += 1) {
      await w.clock.advance(stepMs);
      await each?.(step);
      for (const replica of replicas) {
        await replica.look();
        const now = w.clock.now();
        const bundles = await bundlesOf(w);
        if (bundles.join() !== known.at(-1)?.bundles.join()) known.push({ at: now, bundles });
        // From what was then on, to what is now: any of them may be what an API server has.
        const then = known.findLastIndex(({ at }) => at <= now - lagMs);
        for (const { served } of replicas)
          for (const one of known.slice(Math.max(0, then)).flatMap((entry) => entry.bundles))
            expect(served !== undefined && isTrusted(served, one, now), `at ${now}, step ${step}`).toBe(true);
      }
    }
  };
  await w.clock.advance(minute);
  return { world: w, replicas, pass };
}

/** Until a renewal is due: the certificate is valid from five minutes before, and renewed after two thirds. */
const untilDue = ((validMs + 5 * minute) * 2) / 3 - 6 * minute;

async function expectRotated({ replicas, world: w }: Rotation, before: string | undefined): Promise<void> {
  const [first, second] = replicas.map(({ served }) => served?.certificate);
  expect(first).not.toBe(before);
  expect(second).toBe(first);
  const { data } = await w.user(secrets).namespace('system').get('hooks');
  expect(Object.keys(data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
}

it('no API server gets a certificate that it does not trust yet, in two renewals', async () => {
  const r = await rotation();
  for (let time = 0; time < 2; time += 1) {
    const before = r.replicas[0].served?.certificate;
    await r.world.clock.advance(untilDue);
    await r.pass(3 * minute);
    await expectRotated(r, before);
    await r.world.clock.advance(minute);
  }
});

for (const fault of ['refused', 'lost'] as const)
  it(`an API error at any step of a renewal fails no call: the request is ${fault}`, async () => {
    let hit = 0;
    // Each of the four writes: two of the Secret, and one for each configuration. Then reads of which something depends.
    for (const [method, position] of [
      ...[0, 1, 2, 3].map((at) => ['write', at] as const),
      ['read', 0],
      ['read', 20],
    ] as const) {
      const r = await rotation();
      const before = r.replicas[0].served?.certificate;
      await r.world.clock.advance(untilDue);
      const { api } = r.world;
      let left = position;
      api.intercept = (request) => {
        if ((request.method === 'GET') !== (method === 'read') || (left -= 1) !== -1) return undefined;
        hit += 1;
        if (fault === 'refused') return refusal(500, 'InternalError');
        api.handle(request);
        throw new TransportError('ConnectionFailed', 'the connection was lost before the reply came');
      };
      await r.pass(3 * minute);
      api.intercept = () => undefined;
      await expectRotated(r, before);
    }
    expect(hit).toBe(6);
  });

it('a configuration that can not be written for a while holds the new certificate back', async () => {
  const r = await rotation();
  const before = r.replicas[0].served?.certificate;
  await r.world.clock.advance(untilDue);
  r.world.api.intercept = ({ method, path }) =>
    method === 'PATCH' && path.includes('mutatingwebhook') ? refusal(403, 'Forbidden') : undefined;
  await r.pass(4 * minute);
  expect(r.replicas.map(({ served }) => served?.certificate)).toEqual([before, before]);
  r.world.api.intercept = () => undefined;
  await r.pass(3 * minute);
  await expectRotated(r, before);
});

it('a replica that starts again at any moment of a renewal serves what is trusted', async () => {
  for (const restart of [0, 1, 4, 7, 8, 9]) {
    const r = await rotation();
    const before = r.replicas[0].served?.certificate;
    await r.world.clock.advance(untilDue);
    await r.pass(3 * minute, async (step) => {
      if (step === restart) await r.replicas[restart % 2 === 0 ? 0 : 1].restart();
    });
    await expectRotated(r, before);
  }
});
