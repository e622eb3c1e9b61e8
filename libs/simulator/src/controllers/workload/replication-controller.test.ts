import { pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { quick, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', quick);
});
afterEach(() => cluster.stop());

const path = '/api/v1/namespaces/default/replicationcontrollers';
const manifest = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'web' } };

async function send(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  at: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const reply = await cluster.transport().send({
    method,
    path: at,
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
}

const living = () => cluster.objects.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined);

test('keeps as many pods as it wants, and takes its selector from its template', async () => {
  const created = await send('POST', path, { ...manifest, spec: { replicas: 2, template: template('web') } });
  expect(created['spec']).toMatchObject({ selector: { app: 'web' } });
  await cluster.settle();
  expect(living()).toHaveLength(2);
  const ready = await send('GET', `${path}/web`);
  expect(ready['status']).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 });

  await send('PATCH', `/api/v1/namespaces/default/pods/${living()[0]?.metadata.name ?? ''}`, {
    metadata: { labels: { app: 'other' } },
  });
  await cluster.settle();
  expect(living().map(({ metadata }) => [metadata.labels?.['app'], metadata.ownerReferences?.length ?? 0])).toEqual(
    expect.arrayContaining([
      ['other', 0],
      ['web', 1],
      ['web', 1],
    ]),
  );

  const scale = await send('PATCH', `${path}/web/scale`, { spec: { replicas: 1 } });
  expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'app=web' } });
  await cluster.settle();
  expect(living()).toHaveLength(2);
});

test('leaves its pods when it is deleted without a policy, and takes them along in the background', async () => {
  const spec = { replicas: 1, template: template('web') };
  await send('POST', path, { ...manifest, spec });
  await cluster.settle();
  await send('DELETE', `${path}/web`);
  await cluster.settle();
  expect(living()).toHaveLength(1);

  await send('POST', path, { ...manifest, spec });
  await cluster.settle();
  expect(living()[0]?.metadata.ownerReferences).toHaveLength(1);
  await send('DELETE', `${path}/web?propagationPolicy=Background`);
  await cluster.settle();
  expect(living()).toHaveLength(0);
});
