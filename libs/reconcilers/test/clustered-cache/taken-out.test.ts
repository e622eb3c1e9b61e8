import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, expect, test } from 'vitest';
import { pausedAnnotation } from '../../src/annotations.ts';
import type { CacheWorld } from './cache-world.ts';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, members, reaches } from './cache-world.ts';

const worlds: CacheWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

const podNow = (cluster: SimulatedCluster): Pod | undefined => cluster.objects.find(pods, 'default', 'sessions-2');
const finalizers = (cluster: SimulatedCluster) => podNow(cluster)?.metadata.finalizers;
const relabel = (cluster: SimulatedCluster, labels: Readonly<Record<string, string | null>>) =>
  cluster
    .client()(pods)
    .namespace('default')
    .patch('sessions-2', { type: 'merge', body: { metadata: { labels } } });

/** Three members of which the last one is held before its closed gate. */
async function holding(): Promise<CacheWorld> {
  const world = await cacheWorld();
  worlds.push(world);
  const { cluster } = world;
  await caches(cluster).create(cache({ image: 'cache:stubborn' }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate');
  expect(finalizers(cluster)).toHaveLength(1);
  return world;
}

const others = { 'app.kubernetes.io/name': 'debugged', 'app.kubernetes.io/instance': null };

test.each([
  ['one label', { app: 'debugged' }],
  ['all of them', { app: 'debugged', ...others }],
  ['those of another cache', { app: 'other', 'app.kubernetes.io/instance': 'other' }],
])(
  'a held member that a user takes out by %s loses its finalizer, and its name is free when it is deleted',
  async (_what, labels) => {
    const { cluster, events } = await holding();
    await relabel(cluster, labels);
    await cluster.advance(5000);
    expect([finalizers(cluster), podNow(cluster)?.metadata.deletionTimestamp]).toEqual([undefined, undefined]);
    const reported = events.filter(({ reason }) => reason === 'GateBypassed').map(({ note }) => note);
    expect(reported).toEqual(['sessions-2 was taken out by its labels before its gates were open']);
    await cluster.client()(pods).namespace('default').delete('sessions-2');
    const isBack = (): boolean => members(cluster).some(({ metadata }) => metadata.name === 'sessions-2');
    expect(await reaches(cluster, isBack)).toBe(true);
  },
);

test('one that is taken out while the cache is paused loses its finalizer, too', async () => {
  const { cluster } = await holding();
  const annotations = { [pausedAnnotation]: 'true' };
  await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
  await relabel(cluster, { app: 'debugged' });
  await cluster.advance(5000);
  expect(finalizers(cluster)).toBeUndefined();
});

test.each([
  ['when the operator has seen it', async (cluster: SimulatedCluster) => void (await cluster.advance(60_000))],
  ['in the moment in which the cache is deleted', () => Promise.resolve()],
])('one that is taken out %s keeps no finalizer beyond its cache', async (_when, pass) => {
  const { cluster, operator } = await holding();
  operator.crash();
  await relabel(cluster, { app: 'debugged', ...others });
  operator.start();
  await pass(cluster);
  await caches(cluster).delete('sessions');
  expect(await reaches(cluster, () => cacheNow(cluster) === undefined)).toBe(true);
  await cluster.advance(5000);
  expect(finalizers(cluster)).toBeUndefined();
});

test('one that is taken out keeps no finalizer where its cache has gone by force while the operator was away', async () => {
  const { cluster, operator } = await holding();
  operator.crash();
  await relabel(cluster, { app: 'debugged', ...others });
  await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { finalizers: null } } });
  await caches(cluster).delete('sessions');
  await cluster.advance(60_000);
  expect([cacheNow(cluster), finalizers(cluster)?.length]).toEqual([undefined, 1]);
  operator.start();
  await cluster.advance(60_000);
  expect(finalizers(cluster)).toBeUndefined();
});
