import { pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { cache, cacheNow, caches, cacheWorld, change, images, isSettled, members, reaches } from './cache-world.ts';

/** `kubectl set image statefulset/sessions cache=IMAGE`: what says which template of ours it is, stays. */
const setImage = (cluster: SimulatedCluster, image: string) =>
  cluster
    .client()(statefulSets)
    .namespace('default')
    .patch('sessions', {
      type: 'strategic',
      body: { spec: { template: { spec: { containers: [{ name: 'cache', image }] } } } },
    });

test.each(['cache:3', 'cache:broken'])(
  'a member that came back with what a user had set, %s, while the operator was away, is replaced',
  async (image) => {
    const { cluster, operator } = await cacheWorld();
    await caches(cluster).create(cache());
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    operator.crash();
    await setImage(cluster, image);
    await cluster.client()(pods).namespace('default').delete('sessions-1');
    await cluster.advance(60_000);
    expect(images(cluster)).toEqual(['cache:1', image, 'cache:1']);
    operator.start();
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
    expect(isSettled(cluster)).toBe(true);
    expect(cacheNow(cluster)?.status?.currentVersion).toBe('cache:1');
    cluster.stop();
  },
);

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'a member that is created while a user sets an image is replaced (seed %i)',
  async (seed) => {
    const { cluster } = await cacheWorld(seed);
    await caches(cluster).create(cache());
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => members(cluster).some(({ metadata }) => metadata.deletionTimestamp !== undefined));
    await setImage(cluster, 'cache:3');
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
    expect(isSettled(cluster)).toBe(true);
    cluster.stop();
  },
);

test('one that can not be replaced fails, and nothing goes back to the version before', async () => {
  const { cluster, operator } = await cacheWorld();
  let isOpen = true;
  cluster.image('cache:2', { startsIn: 2000, http: () => (isOpen ? 200 : 503) });
  await caches(cluster).create(cache({ upgrade: { onFailure: 'Rollback' } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:2' });
  const allRun = (): boolean => isSettled(cluster) && images(cluster).every((image) => image === 'cache:2');
  expect(await reaches(cluster, allRun)).toBe(true);
  operator.crash();
  await setImage(cluster, 'cache:3');
  await cluster.client()(pods).namespace('default').delete('sessions-1');
  await cluster.advance(60_000);
  isOpen = false;
  operator.start();
  await cluster.advance(3_600_000);
  expect(images(cluster)).toEqual(['cache:2', 'cache:3', 'cache:2']);
  expect(cacheNow(cluster)?.status?.upgrade?.step).toBe('Failed');
  cluster.stop();
});

test('a restart that a user asks of the StatefulSet goes through the gates', async () => {
  const { cluster } = await cacheWorld();
  await caches(cluster).create(cache());
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  const before = members(cluster).map(({ metadata }) => metadata.uid);
  await cluster
    .client()(statefulSets)
    .namespace('default')
    .patch('sessions', {
      type: 'strategic',
      body: { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } } },
    });
  await cluster.advance(600_000);
  const after = members(cluster);
  expect(after.every(({ metadata }) => !before.includes(metadata.uid))).toBe(true);
  expect(after.every(({ metadata }) => metadata.annotations?.['kubectl.kubernetes.io/restartedAt'] === 'now')).toBe(
    true,
  );
  expect(isSettled(cluster)).toBe(true);
  cluster.stop();
});
