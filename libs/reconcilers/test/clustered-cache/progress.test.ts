import { pods } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { CacheWorld } from './cache-world.ts';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, reaches } from './cache-world.ts';

/** An upgrade whose members take two of the three minutes that each has, when the first so many have come back. */
async function upgraded(replicas: number, back: number): Promise<CacheWorld> {
  const world = await cacheWorld();
  const { cluster } = world;
  cluster.image('cache:2', { startsIn: 120_000, http: () => 200 });
  await caches(cluster).create(cache({ replicas, upgrade: { progressDeadline: '3m' } }));
  await reaches(cluster, () => isSettled(cluster));
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.updated === back)).toBe(true);
  return world;
}

async function completes({ cluster, events }: CacheWorld, replicas: number): Promise<void> {
  await reaches(cluster, () => isSettled(cluster));
  expect(events.map(({ reason }) => reason)).not.toContain('UpgradeFailed');
  expect(cacheNow(cluster)?.status).toMatchObject({ currentVersion: 'cache:2', readyReplicas: replicas });
  cluster.stop();
}

// Found by a second reader: members that had left for good were counted, and whoever came back after them was no progress.
describe('each member that comes back puts the deadline of an upgrade off', () => {
  test('after the set has lost those that came first', async () => {
    const world = await upgraded(6, 3);
    await change(world.cluster, { replicas: 3 });
    await completes(world, 3);
  });

  test('after the set has grown and become as small again', async () => {
    const world = await upgraded(4, 1);
    await change(world.cluster, { replicas: 7 });
    expect(await reaches(world.cluster, () => cacheNow(world.cluster)?.status?.upgrade?.updated === 4)).toBe(true);
    await change(world.cluster, { replicas: 4 });
    await completes(world, 4);
  });
});

test('a member that is lost and comes back puts the deadline of an upgrade off no more', async () => {
  const { cluster } = await upgraded(3, 1);
  const answer = ({ url }: { readonly url: URL }): number => (url.pathname === '/ready-for-shutdown' ? 503 : 200);
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 30_000, http: answer });
  const end = cluster.clock.now() + 3_600_000;
  while (cacheNow(cluster)?.status?.failedRevision === undefined && cluster.clock.now() < end) {
    await cluster.client()(pods).namespace('default').delete('sessions-2');
    await cluster.advance(60_000);
  }
  expect(cacheNow(cluster)?.status?.upgrade).toMatchObject({ step: 'Failed', updated: 1 });
  cluster.stop();
});
