import { configMaps, pods, services } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, object } from '../../test/objects.ts';
import { builtinProgram } from './builtin-programs.ts';
import { conversionWebhook } from './webhooks.ts';

let cluster: SimulatedCluster;

async function start(options: Parameters<typeof SimulatedCluster.start>[0] = {}): Promise<void> {
  cluster = await SimulatedCluster.start({ events: false, ...options });
  cluster.images.otherwise = builtinProgram;
  const containers = [{ name: 'main', image: 'agnhost:2', args: ['webhook', '--port=8444'] }];
  const pod = object('v1 Pod', 'judge', { spec: { containers } });
  await create(cluster, pods, { ...pod, metadata: { ...pod.metadata, labels: { app: 'judge' } } });
  const spec = { selector: { app: 'judge' }, ports: [{ port: 8443, targetPort: 8444 }] };
  await create(cluster, services, object('v1 Service', 'judge', { spec }));
  await cluster.advance(5000);
}
beforeEach(() => start());
afterEach(() => cluster.stop());

const register = (kind: 'Validating' | 'Mutating', path: string, more: object = {}): void => {
  const service = { namespace: 'default', name: 'judge', port: 8443, path };
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const webhook = {
    ...{
      name: `w${path.replaceAll('/', '-')}.example.com`,
      rules,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
    clientConfig: { service, ...more },
  };
  const reply = cluster.server.execute({
    verb: 'create',
    resource: {
      ...{ group: 'admissionregistration.k8s.io', version: 'v1' },
      plural: `${kind.toLowerCase()}webhookconfigurations`,
    },
    body: { metadata: { name: `w${path.replaceAll('/', '-')}` }, webhooks: [webhook] },
  });
  expect(reply.status).toBe(201);
};
/** Creates a ConfigMap while the cluster runs: a webhook takes time to answer. */
async function made(data: Record<string, string>): Promise<unknown> {
  const client = cluster.client()(configMaps).namespace('default');
  const written = client
    .create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'a-', namespace: 'default' },
      data,
    } as never)
    .then(
      (map) => (map as { data?: unknown }).data,
      (error: Error) => error.message,
    );
  await cluster.advance(1000);
  return written;
}

test('agnhost webhook refuses marked data, and lets the rest pass', async () => {
  register('Validating', '/configmaps');
  expect(await made({ a: 'b' })).toEqual({ a: 'b' });
  expect(await made({ 'webhook-e2e-test': 'webhook-disallow' })).toContain(
    'denied the request: the configmap contains unwanted key and value',
  );
});

test('agnhost webhook changes marked data, and each stage where the one before is done', async () => {
  register('Mutating', '/mutating-configmaps');
  expect(await made({ 'mutation-start': 'yes' })).toEqual({ 'mutation-start': 'yes', 'mutation-stage-1': 'yes' });
  expect(await made({ 'mutation-stage-1': 'yes' })).toEqual({ 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
});

test('a webhook that denies all does', async () => {
  register('Validating', '/always-deny');
  expect(await made({})).toContain('this webhook denies all requests');
});

test('a webhook at a path that there is not fails', async () => {
  register('Validating', '/none');
  expect(await made({})).toContain('failed');
});

test('beside webhooks of the real network, a Service is trusted by its certificates alone', async () => {
  cluster.stop();
  await start({ webhooks: () => ({ failed: 'nothing is outside' }) });
  register('Validating', '/configmaps');
  expect(await made({ a: 'b' })).toContain('x509: certificate signed by unknown authority');
  cluster.stop();
  await start({ webhooks: () => ({ failed: 'nothing is outside' }) });
  register('Validating', '/configmaps', { caBundle: btoa('simulated') });
  expect(await made({ a: 'b' })).toEqual({ a: 'b' });
});

test('the converter of agnhost makes two fields of one, and one of two', async () => {
  const converted = async (object: object, desiredAPIVersion: string): Promise<unknown> => {
    const body = JSON.stringify({
      kind: 'ConversionReview',
      request: { uid: 'u', desiredAPIVersion, objects: [object] },
    });
    const request = { method: 'POST', url: new URL('https://a/crdconvert'), headers: {}, body };
    const reply = await conversionWebhook.http(request, {} as never, {} as never);
    const { response } = JSON.parse((reply as { body: string }).body) as { response: { convertedObjects: unknown[] } };
    return response.convertedObjects[0];
  };
  const first = { apiVersion: 'a.example/v1', hostPort: 'h:8' };
  const second = { apiVersion: 'a.example/v2', host: 'h', port: '8' };
  expect(await converted(first, 'a.example/v2')).toEqual(second);
  expect(await converted(second, 'a.example/v1')).toEqual(first);
  expect(await converted(first, 'a.example/v1')).toEqual(first);
});
