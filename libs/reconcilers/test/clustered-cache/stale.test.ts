import { statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { cache, cacheWorld, caches, change, images, isSettled, members, reaches, setNow } from './cache-world.ts';

test('a StatefulSet that a user has made larger, unseen, does not lose its members without a gate', async () => {
  const { cluster, operator } = await cacheWorld();
  await caches(cluster).create(cache({ replicas: 2 }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await cluster.advance(1000);
  const release = operator.holdEvents('statefulsets');
  const sets = cluster.client()(statefulSets).namespace('default');
  await sets.patch('sessions', { type: 'merge', body: { spec: { replicas: 4 } } });
  expect(await reaches(cluster, () => members(cluster).length === 4)).toBe(true);
  await change(cluster, { image: 'cache:2' });
  await cluster.advance(60_000);
  expect(setNow(cluster)?.spec.replicas).toBe(4);
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1', 'cache:1']);
  release();
  expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).join() === 'cache:2,cache:2')).toBe(true);
  cluster.stop();
});
