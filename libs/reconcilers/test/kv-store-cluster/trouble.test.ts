import { kvStoreClusters } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { refuse } from '../writes/refuse.ts';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { change, jobsFor, ready, stores, until } from './store-steps.ts';

test('a write that fails for long is tried ever more seldom, and its beginning is kept', async () => {
  const { cluster } = await kvStoreWorld();
  const resource = cluster.client()(kvStoreClusters).namespace('default');
  await resource.create(store());
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  let tries = 0;
  let statusWrites = 0;
  const stop = refuse(cluster, ({ verb, resource: { plural } }) => {
    if (plural === 'kvstoreclusters' && verb === 'patch') statusWrites += 1;
    if (verb !== 'apply' || plural !== 'statefulsets') return false;
    tries += 1;
    return true;
  });
  await resource.patch('orders', { type: 'merge', body: { spec: { replicas: 4 } } });
  await cluster.advance(60_000);
  const since = storeNow(cluster)?.status?.processingError?.since;
  expect(since).toBeDefined();
  [tries, statusWrites] = [0, 0];
  await cluster.advance(3_600_000);
  expect(storeNow(cluster)?.status?.processingError?.since).toBe(since);
  expect(tries).toBeLessThan(20);
  expect(statusWrites).toBe(0);
  stop();
  await cluster.run({ until: () => storeNow(cluster)?.status?.readyReplicas === 4, maxVirtualMs: 7_200_000 });
  expect(storeNow(cluster)?.status?.processingError).toBeUndefined();
  cluster.stop();
});

/** The members, by UID. */
const members = (cluster: SimulatedCluster): readonly string[] =>
  cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.uid);

const deleteSet = (cluster: SimulatedCluster): Promise<unknown> =>
  cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });

test('a StatefulSet that is deleted while a canary is judged comes back, and no member follows the canary unjudged', async () => {
  const cluster = await ready({
    upgradeStrategy: 'Canary',
    port: 6379,
    canary: { analysis: { http: { path: '/good' } } },
  });
  cluster.image('my-repo/kvstore:2.0', { startsIn: 2000, http: () => new Promise(() => undefined) });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'Analysing');
  await deleteSet(cluster);
  await cluster.advance(120_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  cluster.stop();
});

test('a StatefulSet that is deleted after an upgrade has failed comes back as it ran before', async () => {
  const cluster = await ready({ upgrade: { progressDeadline: '5m' } });
  await change(cluster, { version: 'broken' });
  await until(
    cluster,
    () => storeNow(cluster)?.status?.phase === 'Failed' && images(cluster).every((one) => one === '1.0'),
  );
  await deleteSet(cluster);
  await cluster.advance(600_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  cluster.stop();
});

test('a canary bakes no longer where the clock is set back meanwhile', async () => {
  const { cluster, operator } = await kvStoreWorld();
  const spec = { upgradeStrategy: 'Canary', port: 6379, canary: { bake: '10m' } } as const;
  await cluster.client()(kvStoreClusters).namespace('default').create(store(spec));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'Baking');
  operator.skewClock(-3_600_000);
  const from = cluster.clock.now();
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  expect(cluster.clock.now() - from).toBeLessThan(30 * 60_000);
  cluster.stop();
});

// Read, not found: the Job would have mounted the volumes of members that serve, and claims of another size would have been refused for ever.
test('a cluster that is made again takes back the members that an earlier one has left, and restores nothing over their data', async () => {
  const cluster = await ready();
  await change(cluster, { storage: { size: '20Gi' } });
  await cluster.advance(30_000);
  const before = members(cluster);
  await stores(cluster).delete('orders', { propagationPolicy: 'Orphan' });
  await until(cluster, () => storeNow(cluster) === undefined);
  const storage = { className: 'fast', size: '20Gi' };
  await stores(cluster).create(store({ storage, restoreFrom: { backup: 'monday', job: { command: ['restore'] } } }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(members(cluster)).toEqual(before);
  expect(jobsFor(cluster, 'Restore')).toEqual([]);
  expect(storeNow(cluster)?.status?.processingError).toBeUndefined();
  cluster.stop();
});

// Found by the search (seed 1806059562): the template that had failed was applied again.
test('a template of the same version that has failed is not tried again when its StatefulSet is deleted', async () => {
  const cluster = await ready({ upgrade: { progressDeadline: '5m' } });
  const before = storeNow(cluster)?.status?.currentRevision;
  await change(cluster, { podTemplate: { spec: { nodeSelector: { disk: 'none' } } } });
  await until(
    cluster,
    () => storeNow(cluster)?.status?.phase === 'Failed' && storeNow(cluster)?.status?.readyReplicas === 3,
  );
  const applied = new Set<string | undefined>();
  cluster.server.store.subscribe(({ kind, after }) => {
    if (kind !== 'statefulsets.apps') return;
    const { spec } = after as unknown as StatefulSet; // Of this kind.
    applied.add(spec.template.metadata?.annotations?.[templateHashAnnotation]);
  });
  await deleteSet(cluster);
  await cluster.advance(600_000);
  expect([...applied]).toEqual([before]);
  expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed', readyReplicas: 3, currentRevision: before });
  cluster.stop();
});
