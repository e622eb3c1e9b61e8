import { cloudDatabases, kvStoreClusters } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import { onTestFinished, expect, test } from 'vitest';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, reaches } from '../clustered-cache/cache-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';
import { create } from '../external/set-steps.ts';
import { setNow, setWorld } from '../external/set-world.ts';
import { kvStoreWorld, store, storeNow, untilPhase } from '../kv-store-cluster/kv-store-world.ts';
import { annotationsAfter, offered, type Shown } from './actions.ts';

async function cacheIn(spec: Parameters<typeof cache>[0] = {}): Promise<SimulatedCluster> {
  const { cluster } = await cacheWorld();
  onTestFinished(() => cluster.stop());
  await caches(cluster).create(cache(spec));
  await reaches(cluster, () => isSettled(cluster));
  return cluster;
}

const offers = (object: Shown | undefined): string => (object ? offered(object).join(' ') : 'gone');

/** Does what Argo CD does: where it offers the action, runs it and writes what came of it. */
async function act(cluster: SimulatedCluster, action: string): Promise<void> {
  const now = cacheNow(cluster);
  if (!now || !offered(now).includes(action)) throw new Error(`${action} is not offered, but ${offers(now)}`);
  const annotations = annotationsAfter(now, action);
  await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
}

test('a cache that is well can be paused alone, and a paused one resumed', async () => {
  const cluster = await cacheIn();
  expect(offers(cacheNow(cluster))).toBe('pause');
  await act(cluster, 'pause');
  await change(cluster, { image: 'cache:2' });
  await cluster.advance(60_000);
  expect(offers(cacheNow(cluster))).toBe('resume');
  expect(cacheNow(cluster)?.status?.currentVersion).toBe('cache:1');
  await act(cluster, 'resume');
  await reaches(cluster, () => cacheNow(cluster)?.status?.currentVersion === 'cache:2' && isSettled(cluster));
  expect(offers(cacheNow(cluster))).toBe('pause');
});

test('a canary that waits is promoted', async () => {
  const cluster = await cacheIn({ upgrade: { canary: { promotion: 'Manual' } } });
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  expect(offers(cacheNow(cluster))).toBe('abort pause promote');
  await act(cluster, 'promote');
  await reaches(cluster, () => isSettled(cluster));
  expect(cacheNow(cluster)?.status?.currentVersion).toBe('cache:2');
});

test('an upgrade is aborted, and tried again: that takes the abort away', async () => {
  const cluster = await cacheIn({ upgrade: { canary: { promotion: 'Manual' } } });
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  await act(cluster, 'abort');
  await reaches(cluster, () => cacheNow(cluster)?.status?.failure?.reason === 'Aborted');
  expect(offers(cacheNow(cluster))).toBe('pause retry');
  await act(cluster, 'retry');
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  expect(Object.keys(cacheNow(cluster)?.metadata.annotations ?? {})).not.toContain('ordinal.dev/abort');
});

test('closed gates are overridden for the member that the upgrade waits for', async () => {
  const cluster = await cacheIn({ image: 'cache:stubborn' });
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate');
  const { pod } = cacheNow(cluster)?.status?.upgrade ?? {};
  expect(offers(cacheNow(cluster))).toBe('abort override pause');
  await act(cluster, 'override');
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.pod !== pod);
  expect(cacheNow(cluster)?.status?.upgrade?.updated).toBe(1);
});

test('a store with backups is backed up', async () => {
  const { cluster } = await kvStoreWorld();
  onTestFinished(() => cluster.stop());
  const stores = cluster.client()(kvStoreClusters).namespace('default');
  await stores.create(store({ backup: { job: { command: ['backup'] } } }));
  await untilPhase(cluster, 'Ready');
  const now = storeNow(cluster);
  expect(offers(now)).toBe('backup pause');
  const annotations = now && annotationsAfter(now, 'backup');
  await stores.patch('orders', { type: 'merge', body: { metadata: { annotations } } });
  await cluster.advance(60_000);
  expect(storeNow(cluster)?.status?.backups?.[0]).toMatchObject({
    name: expect.stringMatching(/^argocd-\d{10}$/) as string,
    result: 'Succeeded',
  });
});

test('a set whose pods its own controller replaces can be paused alone', async () => {
  const world = await setWorld(1, honest);
  const { cluster } = world;
  onTestFinished(() => cluster.stop());
  await create(world);
  await cluster.advance(60_000);
  expect(offers(setNow(cluster, 'db'))).toBe('pause');
});

test('a database that its provider refuses is tried again', async () => {
  const { cluster, provider } = await databaseWorld(1, honest);
  onTestFinished(() => cluster.stop());
  const databases = cluster.client()(cloudDatabases).namespace('default');
  provider.refused.set('POST', 400);
  await databases.create(database('orders'));
  await cluster.advance(60_000);
  const now = databaseNow(cluster, 'orders');
  expect(offers(now)).toBe('pause retry');
  provider.refused.clear();
  const annotations = now && annotationsAfter(now, 'retry');
  await databases.patch('orders', { type: 'merge', body: { metadata: { annotations } } });
  await cluster.advance(60_000);
  expect(offers(databaseNow(cluster, 'orders'))).toBe('pause');
});
