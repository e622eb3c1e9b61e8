import { createSecretKey } from 'node:crypto';
import { request } from 'node:https';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import { Registry } from 'prom-client';
import { prometheusWebhookMetrics } from '../observability/index.ts';
import { reviewOf } from '../../test/listener.ts';
import { VirtualClock, settled } from '../../test/virtual-clock.ts';
import type { Widget } from '../../test/world.ts';
import { widgets, world } from '../../test/world.ts';
import {
  CertificateController,
  allow,
  convertedVersion,
  converting,
  deny,
  issueCertificate,
  mutating,
  reviewReply,
  serveWebhooks,
  validating,
} from './index.ts';
import { validityOf } from './certificate-authority.ts';
import { jsonPatchBetween } from './json-patch.ts';
import type { ConversionWebhook, IssuedCertificate, Webhook, WebhookServer } from './index.ts';

const name = 'hooks.system.svc';
const day = 86_400_000;
let issued: IssuedCertificate;
let other: IssuedCertificate;
beforeAll(async () => {
  issued = await issueCertificate({ dnsNames: [name], now: Date.now(), validMs: day });
  other = await issueCertificate({ dnsNames: [name], now: Date.now(), validMs: day });
});

const servers: WebhookServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  webhooks: readonly (Webhook | ConversionWebhook)[],
  clock = new VirtualClock(),
  maxInFlight = 8,
): Promise<WebhookServer> {
  const server = await serveWebhooks({ port: 0, host: '127.0.0.1', webhooks, certificate: issued, clock, maxInFlight });
  servers.push(server);
  return server;
}

interface Answer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

function ask(server: WebhookServer, path: string, object: unknown, ca = issued.authority): Promise<Answer> {
  return post<Answer>({ server, path, review: reviewOf({ object }), ca });
}

interface Post {
  readonly server: WebhookServer;
  readonly path: string;
  readonly review: unknown;
  readonly ca?: string;
}

/** The response to a review. */
function post<T>({ server, path, review, ca = issued.authority }: Post): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      servername: name,
      path: `${path}?timeout=5s`,
      method: 'POST',
      ca,
      agent: false,
    };
    const sent = request(options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve((JSON.parse(body) as { response: T }).response));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(review));
  });
}

const widgetOf = (size: number): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a' },
  spec: { size },
});
const path = '/validate-example-com-v1-widget';

describe('webhooks', () => {
  it('answer over TLS with a certificate of an authority of their own', async () => {
    const server = await serve([
      validating(widgets, ({ object }) =>
        object !== null && object.spec.size > 5 ? deny('too large', { code: 422 }) : allow('hm'),
      ),
    ]);
    expect(await ask(server, path, widgetOf(3))).toEqual({ uid: 'u1', allowed: true, warnings: ['hm'] });
    expect(await ask(server, path, widgetOf(9))).toEqual({
      uid: 'u1',
      allowed: false,
      status: { code: 422, message: 'too large' },
    });
    await expect(ask(server, path, widgetOf(3), other.authority)).rejects.toThrow(/certificate/);
  });

  it('convert between the versions of a kind, and say why they can not in time', async () => {
    const clock = new VirtualClock();
    const older = { ...widgets, version: 'v1alpha1' };
    const functions = { toHub: ({ spec }: Widget) => ({ spec }), fromHub: ({ spec }: Widget) => ({ spec }) };
    const webhook = converting(widgets, [convertedVersion<Widget, Widget>(older, functions)], {
      keys: () => [createSecretKey(Buffer.alloc(32, 1))],
    });
    const broken = { path: '/broken', convert: () => Promise.reject(new Error('broken')) };
    const server = await serve([webhook, broken], clock);
    const request = { uid: 'u1', desiredAPIVersion: 'example.com/v1alpha1', objects: [widgetOf(3)] };
    const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
    expect(await post({ server, path: '/convert-example-com-widget', review })).toEqual({
      uid: 'u1',
      result: { status: 'Success' },
      convertedObjects: [{ ...widgetOf(3), apiVersion: 'example.com/v1alpha1' }],
    });
    expect(await post({ server, path: '/broken', review })).toEqual({
      uid: 'u1',
      result: { status: 'Failure', message: 'broken' },
      convertedObjects: [],
    });
  });

  it('return what they changed as a patch', async () => {
    const server = await serve([
      mutating(widgets, (object) => ({ ...object, spec: { ...object.spec, secret: 'default' } })),
    ]);
    const { patch = '' } = await ask(server, '/mutate-example-com-v1-widget', widgetOf(3));
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/secret', value: 'default' },
    ]);
  });

  it.each([
    ['Fail', false],
    ['Ignore', true],
  ] as const)('with policy %s decide what they can not judge: allowed is %s', async (failurePolicy, allowed) => {
    const broken = (): never => {
      throw new Error('broken');
    };
    const server = await serve([validating(widgets, broken, { failurePolicy })]);
    expect(await ask(server, path, widgetOf(1))).toMatchObject({ allowed });
  });

  it('answer before the API server stops waiting', async () => {
    const clock = new VirtualClock();
    let asked = (): void => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const server = await serve([validating(widgets, () => (asked(), new Promise<never>(() => undefined)))], clock);
    const answer = ask(server, path, widgetOf(1));
    await begun;
    await settled();
    await clock.advance(4600);
    expect((await answer).status?.message).toMatch(/took too long/);
  });

  it('shed load at once', async () => {
    let release = (): void => undefined;
    let asked = (): void => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const held = new Promise<void>((resolve) => (release = resolve));
    const server = await serve(
      [validating(widgets, async () => (asked(), await held, allow()))],
      new VirtualClock(),
      1,
    );
    const first = ask(server, path, widgetOf(1));
    await begun;
    expect((await ask(server, path, widgetOf(1))).status?.message).toMatch(/too many/);
    release();
    expect((await first).allowed).toBe(true);
  });

  it('are each shed above a limit of their own, whatever others are asked meanwhile', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    let all = (): void => undefined;
    const begun = new Promise<void>((resolve) => (all = resolve));
    const slow = (at: string): Webhook => ({
      path: at,
      failurePolicy: 'Fail',
      review: async ({ uid }) => {
        if ((waiting += 1) === 3) all();
        await held;
        return reviewReply(uid, { allowed: true });
      },
    });
    const server = await serve([slow('/narrow'), { ...slow('/wide'), maxInFlight: 2 }], new VirtualClock(), 1);
    const answers = ['/narrow', '/wide', '/wide'].map((at) => ask(server, at, widgetOf(1)));
    await begun;
    for (const at of ['/narrow', '/wide'])
      expect((await ask(server, at, widgetOf(1))).status?.message).toMatch(/too many/);
    release();
    for (const answer of answers) expect((await answer).allowed).toBe(true);
  });

  it('are counted under the names of controller-runtime', async () => {
    const registry = new Registry();
    const server = await serveWebhooks({
      port: 0,
      host: '127.0.0.1',
      webhooks: [validating(widgets, () => allow())],
      certificate: issued,
      clock: new VirtualClock(),
      metrics: prometheusWebhookMetrics(registry),
    });
    servers.push(server);
    await ask(server, path, widgetOf(1));
    const text = await registry.metrics();
    expect(text).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 1`);
    expect(text).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${path}"} 0`);
  });

  it('serve with a new certificate without being restarted', async () => {
    const server = await serve([validating(widgets, () => allow())]);
    server.useCertificate(other);
    expect(await ask(server, path, widgetOf(1), other.authority)).toMatchObject({ allowed: true });
  });
});

describe('a certificate controller', () => {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: 'ordinal' },
    webhooks: [{ name: 'a.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', clientConfig: {} }],
  } as const;
  const controllerIn = async (w: ReturnType<typeof world>): Promise<CertificateController> => {
    await w
      .user(validatingWebhookConfigurations)
      .cluster()
      .create({ ...configuration, kind: 'ValidatingWebhookConfiguration' });
    await w
      .user(mutatingWebhookConfigurations)
      .cluster()
      .create({ ...configuration, kind: 'MutatingWebhookConfiguration' });
    return new CertificateController({
      client: w.user,
      clock: w.clock,
      secret: { namespace: 'system', name: 'hooks' },
      dnsNames: [name],
      configurations: { validating: ['ordinal'], mutating: ['ordinal'] },
    });
  };

  it('issues once, shares it, and injects its authority', async () => {
    const w = world();
    const certificates = await controllerIn(w);
    const first = await certificates.current();
    expect((await certificates.current()).certificate).toBe(first.certificate);
    const { webhooks } = await w.user(mutatingWebhookConfigurations).cluster().get('ordinal');
    expect(Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString()).toBe(first.authorities);
  });

  it('injects its authority into a definition with a conversion webhook, and passes one without over', async () => {
    const w = world();
    const definitions = w.user(customResourceDefinitions).cluster();
    const spec = (plural: string) => ({
      group: 'example.com',
      scope: 'Namespaced' as const,
      names: { plural, kind: 'Timer' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' as const } } }],
    });
    const service = { namespace: 'system', name: 'hooks', path: '/convert-example-com-timer' };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service } };
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
    const conversion = { strategy: 'Webhook', webhook };
    await definitions.create({ ...definition, metadata: { name: 'a' }, spec: { ...spec('a'), conversion } });
    await definitions.create({ ...definition, metadata: { name: 'b' }, spec: spec('b') });
    const certificates = new CertificateController({
      client: w.user,
      clock: w.clock,
      secret: { namespace: 'system', name: 'hooks' },
      dnsNames: [name],
      configurations: { definitions: ['a', 'b', 'none'] },
    });
    const { authorities } = await certificates.current();
    const bundleOf = async (name: string) =>
      (await definitions.get(name)).spec.conversion?.webhook?.clientConfig?.caBundle;
    expect(Buffer.from((await bundleOf('a')) ?? '', 'base64').toString()).toBe(authorities);
    expect(await bundleOf('b')).toBeUndefined();
  });

  it('renews after two thirds of the time, and keeps the old authority trusted', async () => {
    const w = world();
    const certificates = await controllerIn(w);
    const first = await certificates.current();
    await w.clock.advance(59 * day);
    expect((await certificates.current()).certificate).toBe(first.certificate);
    await w.clock.advance(2 * day);
    // Its authority has to be known first.
    expect((await certificates.current()).certificate).toBe(first.certificate);
    await w.clock.advance(60_000);
    const second = await certificates.current();
    expect(second.certificate).not.toBe(first.certificate);
    expect(second.authorities).toContain(first.authorities.trim());
    expect(validityOf(second.certificate).until).toBeGreaterThan(w.clock.now() + 80 * day);
  });

  it('replaces a certificate that is not one', async () => {
    const w = world();
    const data = { 'tls.crt': 'bm8=', 'tls.key': 'bm8=', 'ca.crt': 'bm8=' };
    await w
      .user(secrets)
      .namespace('system')
      .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hooks' }, data });
    const certificates = await controllerIn(w);
    expect(validityOf((await certificates.current()).certificate).dnsNames).toEqual([name]);
  });
});

describe('jsonPatchBetween', () => {
  it('escapes names and tells adding from replacing and removing', () => {
    expect(jsonPatchBetween({ 'a/b': 1, c: { d: 1 }, e: 2 }, { 'a/b': 2, c: { d: 1, f: [1] } })).toEqual([
      { op: 'replace', path: '/a~1b', value: 2 },
      { op: 'add', path: '/c/f', value: [1] },
      { op: 'remove', path: '/e' },
    ]);
  });
});
