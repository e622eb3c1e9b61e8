import { createSecretKey } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient, customResourceDefinitions, httpTransport, secrets, systemClock } from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { CertificateController, convertedVersion, converting, serveWebhooks } from '../../src/webhook/index.ts';
import type { WebhookServer } from '../../src/webhook/index.ts';

// `npm run cluster -- api-server`, then KUBECONFIG as it says.
const kubeconfig = process.env['KUBECONFIG'];
const group = `conversion-${process.pid}.example.com`;

interface Old extends KubernetesObject {
  readonly spec: { readonly address: string };
}
interface New extends KubernetesObject {
  readonly spec: { readonly host: string; readonly port: number; readonly mode?: string };
}
type Input<T extends KubernetesObject> = KubernetesObjectInput & Omit<T, keyof KubernetesObject>;

const timers = <T extends KubernetesObject>(version: string): ResourceDescriptor<T, Input<T>> => ({
  group,
  version,
  kind: 'Timer',
  plural: 'timers',
  scope: 'Namespaced',
});
const [v1, v2] = [timers<Old>('v1'), timers<New>('v2')];

const webhook = converting(
  v2,
  [
    convertedVersion<New, Old>(v1, {
      toHub: ({ spec: { address } }) => ({
        spec: { host: address.split(':')[0] ?? '', port: Number(address.split(':')[1] ?? 80) },
      }),
      fromHub: ({ spec: { host, port } }) => ({ spec: { address: `${host}:${port}` } }),
    }),
  ],
  { keys: () => [createSecretKey(Buffer.alloc(32, 1))] },
);

const text = { type: 'string' };
const version = (name: string, properties: Readonly<Record<string, { readonly type: string }>>) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
});

describe('a conversion webhook at a real API server', async () => {
  if (kubeconfig === undefined) {
    it.skip('skipped: KUBECONFIG does not name one');
    return;
  }
  const client = createClient({ transport: httpTransport(await kubeconfigServer({ files: [kubeconfig] })) });
  const definitions = client(customResourceDefinitions).cluster();
  const name = `timers.${group}`;
  const secret = { namespace: 'default', name };
  let server: WebhookServer | undefined;
  afterAll(async () => {
    await definitions.delete(name);
    await client(secrets).namespace(secret.namespace).delete(secret.name);
    await server?.close();
    await client.close();
  });

  it('is trusted by its own certificate, and no version loses what another one can not say', async () => {
    const options = { client, clock: systemClock, secret, dnsNames: ['localhost'] };
    const issued = await new CertificateController({ ...options, configurations: {} }).current();
    server = await serveWebhooks({
      port: 0,
      host: '127.0.0.1',
      webhooks: [webhook],
      certificate: issued,
      clock: systemClock,
    });
    await definitions.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'timers', kind: 'Timer' },
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: `https://localhost:${server.port}${webhook.path}` },
          },
        },
        versions: [
          version('v1', { address: text }),
          version('v2', { host: text, port: { type: 'integer' }, mode: text }),
        ],
      },
    });
    await new CertificateController({ ...options, configurations: { definitions: [name] } }).current();
    const [old, current] = [client(v1).namespace('default'), client(v2).namespace('default')];
    const spec = { host: 'here', port: 80, mode: 'Strict' };
    const body = { apiVersion: `${group}/v2`, kind: 'Timer', metadata: { name: 'a' }, spec };
    // Until the definition is served, with the authority.
    for (let left = 300; left > 0; left -= 1) {
      const created = await current.create(body).catch(() => undefined);
      if (created !== undefined) break;
      await pause(100);
    }
    expect((await old.get('a')).spec).toEqual({ address: 'here:80' });
    await old.patch('a', { type: 'merge', body: { spec: { address: 'there:81' } } });
    const after = await current.get('a');
    expect(after.spec).toEqual({ host: 'there', port: 81, mode: 'Strict' });
    expect(after.metadata.annotations).toBeUndefined();
  }, 120_000);
});
