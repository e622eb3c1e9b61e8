import { pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { images, storeNow } from './kv-store-world.ts';
import { annotate, change, ready, stores, until } from './store-steps.ts';

const slow = { command: ['wait'], image: 'example.com/slow:1', deadline: '1h' };

/** An upgrade to 2.0 that has replaced as many members, each of which serves, and is paused. */
async function halfDone(replaced: number, spec: Parameters<typeof ready>[0] = {}): Promise<SimulatedCluster> {
  const cluster = await ready(spec);
  cluster.image('example.com/slow:1', { run: () => new Promise<number>(() => undefined) });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster).filter((image) => image === '2.0').length === replaced);
  await change(cluster, { upgrade: { paused: true } });
  await cluster.advance(60_000);
  return cluster;
}

async function lose(cluster: SimulatedCluster, name: string): Promise<void> {
  await cluster.client()(pods).namespace('default').delete(name);
  await cluster.advance(60_000);
}

// Found by using it: it came back as 1.0, on a volume that 2.0 had written.
test.each([
  ['it is paused', {}],
  ['a Job comes before the first member', { upgrade: { paused: false, beforeFirstPod: slow } }],
])('a member comes back as what it ran where a third version is asked for, and %s', async (_what, spec) => {
  const cluster = await halfDone(1);
  await change(cluster, { version: '3.0', ...spec });
  await cluster.advance(60_000);
  await lose(cluster, 'orders-2');
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  await lose(cluster, 'orders-0');
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  cluster.stop();
});

test.each(['RollingUpdate', 'Canary'] as const)(
  'a third version comes first to the members that ran ahead (%s)',
  async (upgradeStrategy) => {
    const cluster = await halfDone(2, { upgradeStrategy });
    await change(cluster, { version: '3.0', upgrade: { paused: false } });
    const seen = new Set<string>();
    await until(cluster, () => {
      seen.add(images(cluster).join(' '));
      return storeNow(cluster)?.status?.currentVersion === '3.0';
    });
    expect(images(cluster)).toEqual(['3.0', '3.0', '3.0']);
    expect([...seen]).toContain('1.0 2.0 3.0');
    expect([...seen]).toContain('1.0 3.0 3.0');
    expect([...seen].filter((each) => each.startsWith('2.0'))).toEqual([]);
    cluster.stop();
  },
);

test('what all members run has run, also where a third version is asked for before it is judged', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary', canary: { analysis: { job: slow } } });
  cluster.image('example.com/slow:1', {
    run: ({ env }) => (env['ORDINAL_POD'] === 'orders-0' ? new Promise<number>(() => undefined) : 0),
  });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster)[0] === '2.0' && storeNow(cluster)?.status?.upgrade?.step === 'Analysing');
  await cluster.advance(60_000);
  await change(cluster, { version: '3.0' });
  await until(cluster, () => images(cluster)[2] === '3.0');
  expect(images(cluster)).toEqual(['2.0', '2.0', '3.0']);
  expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '2.0', previousVersion: '1.0' });
  await annotate(cluster, { 'ordinal.dev/abort': '3.0' });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
  await cluster.advance(60_000);
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
  cluster.stop();
});

test.each(['Background', 'Orphan'] as const)(
  'a member comes back as what it ran where the StatefulSet is lost in the middle (%s)',
  async (propagationPolicy) => {
    const cluster = await halfDone(1);
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy });
    const started = new Set<string>();
    await until(cluster, () => {
      if (images(cluster)[2] !== undefined) started.add(images(cluster)[2] ?? '');
      return images(cluster).length === 3 && storeNow(cluster)?.status?.readyReplicas === 3;
    });
    await cluster.advance(60_000);
    expect([...started]).toEqual(['2.0']);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    cluster.stop();
  },
);

test('a member that is lost while its StatefulSet is away comes back as what it ran, also where a higher one is there', async () => {
  const cluster = await halfDone(2);
  await cluster.client()(pods).namespace('default').delete('orders-1');
  await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
  const [, , third] = cluster.objects.list(pods);
  const started = new Set<string>();
  await until(cluster, () => {
    started.add(images(cluster)[1] ?? '');
    return images(cluster).length === 3 && storeNow(cluster)?.status?.readyReplicas === 3;
  });
  await cluster.advance(60_000);
  expect([...started].filter((image) => image === '1.0')).toEqual([]);
  expect(images(cluster)).toEqual(['1.0', '2.0', '2.0']);
  const after = cluster.objects.list(pods).find(({ metadata }) => metadata.name === third?.metadata.name);
  expect(after?.metadata.uid).toBe(third?.metadata.uid);
  expect(after?.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet' }]);
  cluster.stop();
});

test('a cluster is not released before a member is gone that it controls itself', async () => {
  const cluster = await halfDone(1, { deletionPolicy: 'Retain' });
  const { uid = '' } = storeNow(cluster)?.metadata ?? {};
  const reference = {
    apiVersion: storeNow(cluster)?.apiVersion,
    kind: 'KVStoreCluster',
    name: 'orders',
    uid,
    controller: true,
  };
  const body = { metadata: { ownerReferences: [reference] } };
  await cluster.client()(pods).namespace('default').patch('orders-2', { type: 'merge', body });
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(cluster.objects.list(pods).map(({ metadata }) => metadata.name)).toEqual([]);
  cluster.stop();
});
