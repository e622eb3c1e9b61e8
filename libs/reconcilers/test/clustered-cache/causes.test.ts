import { nodes, pods, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  condition,
  isSettled,
  members,
  reaches,
  said,
} from './cache-world.ts';

const pullFailure =
  'container cache can’t pull its image “cache:missing” (ImagePullBackOff): “failed to pull and unpack image "cache:missing": not found”';

async function settled(spec: Parameters<typeof cache>[0] = {}) {
  const world = await cacheWorld();
  await caches(world.cluster).create(cache(spec));
  expect(await reaches(world.cluster, () => isSettled(world.cluster))).toBe(true);
  return world;
}

test('a member whose image can’t be pulled: the step, the conditions and the failure say so, and it is written once', async () => {
  const { cluster, operator } = await settled();
  await change(cluster, { image: 'cache:missing' });
  const upgrade = () => cacheNow(cluster)?.status?.upgrade;
  expect(await reaches(cluster, () => upgrade()?.blockedBy?.includes('ImagePullBackOff') === true)).toBe(true);
  expect(upgrade()).toMatchObject({ step: 'AwaitingReady', blockedBy: `sessions-2: ${pullFailure}` });
  for (const type of ['Ready', 'Progressing']) {
    expect(condition(cluster, type)?.message).toBe(`sessions-2 is not ready yet: sessions-2: ${pullFailure}`);
  }
  const before = operator.writes;
  await cluster.advance(600_000);
  expect(operator.writes).toBe(before);
  expect(await reaches(cluster, () => said(cluster, 'Available') === 'False UpgradeFailed')).toBe(true);
  await cluster.settle();
  const message = `Timed out waiting for readiness on pod sessions-2: no member has come back for 15 minutes; sessions-2: ${pullFailure}`;
  for (const type of ['Available', 'Ready', 'Degraded']) expect(condition(cluster, type)?.message, type).toBe(message);
  expect(upgrade()).toMatchObject({ step: 'Failed', message });
  cluster.stop();
});

test('an upgrade that fails before a closed gate keeps what the gate has said last', async () => {
  const { cluster, events } = await settled({ image: 'cache:stubborn' });
  await change(cluster, { image: 'cache:2', upgrade: { progressDeadline: '40s' } });
  expect(await reaches(cluster, () => said(cluster, 'Available') === 'False UpgradeFailed')).toBe(true);
  await cluster.settle();
  const answer = 'gate ready-for-shutdown: sessions-0: HTTP 503';
  const message = `Timed out waiting for health checks on pod sessions-2: no member has come back for 40 seconds; ${answer}`;
  expect(condition(cluster, 'Available')?.message).toBe(message);
  expect(cacheNow(cluster)?.status?.upgrade).toMatchObject({ step: 'Failed', message, blockedBy: answer });
  await cluster.advance(60_000);
  expect(events.filter(({ reason }) => reason === 'UpgradeFailed').map(({ note }) => note)).toEqual([message]);
  // Another reconcile, as the operator has one whenever something changes.
  await cluster
    .client()(statefulSets)
    .namespace('default')
    .patch('sessions', {
      type: 'merge',
      body: { metadata: { labels: { touched: 'yes' } } },
    });
  await cluster.advance(60_000);
  expect(cacheNow(cluster)?.status?.upgrade).toMatchObject({ step: 'Failed', message, blockedBy: answer });
  expect(condition(cluster, 'Ready')?.message).toBe(message);
  cluster.stop();
});

test('a member that no node can take says the scheduler’s words, also outside of an upgrade', async () => {
  const { cluster } = await settled();
  for (const { metadata } of cluster.objects.list(nodes)) {
    await cluster
      .client()(nodes)
      .cluster()
      .patch(metadata.name, { type: 'merge', body: { spec: { unschedulable: true } } });
  }
  await cluster.client()(pods).namespace('default').delete('sessions-1');
  const unschedulable = /sessions-1.*it is not scheduled \(Unschedulable\): “0\/\d+ nodes are available/;
  expect(await reaches(cluster, () => unschedulable.test(condition(cluster, 'Degraded')?.message ?? ''))).toBe(true);
  expect(condition(cluster, 'Progressing')?.message).toMatch(unschedulable);
  cluster.stop();
});

test('a member that ends over and over says how, in one status', async () => {
  const world = await settled();
  const { cluster, operator } = world;
  cluster.image('cache:2', { startsIn: 500, crash: { afterMs: 1000, exitCode: 3 } });
  await change(cluster, { image: 'cache:2' });
  const blockedBy = () => cacheNow(cluster)?.status?.upgrade?.blockedBy ?? '';
  expect(await reaches(cluster, () => blockedBy().includes('CrashLoopBackOff'))).toBe(true);
  expect(blockedBy()).toMatch(/^sessions-2: container cache has ended with exit code 3/);
  const before = operator.writes;
  await cluster.advance(400_000);
  expect(operator.writes).toBe(before);
  expect(members(cluster)).toHaveLength(3);
  cluster.stop();
});

test('while a set shrinks, no more members are ready than there are', async () => {
  const { cluster } = await settled({ replicas: 3, image: 'cache:stubborn' });
  await change(cluster, { replicas: 2 });
  await cluster.advance(30_000);
  expect(condition(cluster, 'Available')?.message).toBe('3 of 3 members are ready, 2 are wanted');
  cluster.stop();
});
