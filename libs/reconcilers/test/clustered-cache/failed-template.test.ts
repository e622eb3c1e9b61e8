import { pods } from '@ordinal/client';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { retryAnnotation } from '../../src/annotations.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  condition,
  images,
  isReady,
  isSettled,
  members,
  reaches,
  said,
  setNow,
} from './cache-world.ts';
import { registerForeignWebhook } from './foreign-webhook.ts';

const setImage = (cluster: SimulatedCluster): string | undefined =>
  setNow(cluster)?.spec.template.spec?.containers[0]?.image;

const hasFailed = (cluster: SimulatedCluster): boolean => said(cluster, 'Available') === 'False UpgradeFailed';

/** A cache whose upgrade to an image that can't be pulled has failed and stopped. */
async function failed(spec: Parameters<typeof cache>[0] = {}) {
  const world = await cacheWorld();
  const { cluster } = world;
  await caches(cluster).create(cache({ upgrade: { progressDeadline: '5m' }, ...spec }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:missing' });
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  return world;
}

const retry = (cluster: SimulatedCluster, value: string) =>
  caches(cluster).patch('sessions', {
    type: 'merge',
    body: { metadata: { annotations: { [retryAnnotation]: value } } },
  });

test('a member that is lost after a failed upgrade has stopped comes back as what ran, and no other one restarts by that', async () => {
  const { cluster, events, operator } = await failed();
  await cluster.settle();
  const before = members(cluster).map(({ metadata }) => metadata.uid);
  expect(setImage(cluster)).toBe('cache:1');
  await cluster.advance(600_000);
  expect(members(cluster).map(({ metadata }) => metadata.uid)).toEqual(before);
  await cluster.client()(pods).namespace('default').delete('sessions-0');
  const isBack = (): boolean => members(cluster).length === 3 && members(cluster)[0]?.metadata.uid !== before[0];
  expect(await reaches(cluster, isBack)).toBe(true);
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:missing']);
  await cluster.client()(pods).namespace('default').delete('sessions-2');
  expect(await reaches(cluster, () => members(cluster).filter(isReady).length === 3)).toBe(true);
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  await cluster.settle();
  const writes = operator.writes;
  await cluster.advance(3_600_000);
  expect(operator.writes).toBe(writes);
  expect(hasFailed(cluster)).toBe(true);
  const { failedRevision, currentRevision, currentVersion, upgrade } = cacheNow(cluster)?.status ?? {};
  expect([currentVersion, upgrade?.step]).toEqual(['cache:1', 'Failed']);
  expect(failedRevision).toBe(upgrade?.revision);
  expect(currentRevision).not.toBe(failedRevision);
  expect(condition(cluster, 'Progressing')?.message).toBe(
    'the operator does nothing more until the spec changes: members stay as they are, and one that is lost comes back as cache:1',
  );
  expect(events.filter(({ reason }) => reason === 'TemplateRestored')).toHaveLength(1);
  cluster.stop();
});

test('a rollback that has no version to go back to stops, and says so', async () => {
  const { cluster } = await cacheWorld();
  cluster.image('cache:slow', { startsIn: 60_000 });
  await caches(cluster).create(
    cache({ image: 'cache:slow', upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } }),
  );
  expect(await reaches(cluster, () => members(cluster).length === 3)).toBe(true);
  await change(cluster, { image: 'cache:missing' });
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  expect(condition(cluster, 'Progressing')?.message).toBe(
    'the operator does nothing more until the spec changes: there is no version to go back to, as no version has run on all members yet',
  );
  expect(cacheNow(cluster)?.status?.currentVersion).toBeUndefined();
  cluster.stop();
});

test('a correction of the spec after it is an upgrade of all members', async () => {
  const { cluster } = await failed();
  await cluster.settle();
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
  expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
  expect(cacheNow(cluster)?.status).toMatchObject({ currentVersion: 'cache:2' });
  expect(cacheNow(cluster)?.status?.failedRevision).toBeUndefined();
  cluster.stop();
});

test('a retry after it brings the same template once more; failed again, what ran is put back again', async () => {
  const { cluster } = await failed();
  await cluster.settle();
  await retry(cluster, 'first');
  expect(await reaches(cluster, () => setImage(cluster) === 'cache:missing')).toBe(true);
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  expect(cacheNow(cluster)?.status?.retryToken).toBe('first');
  await cluster.settle();
  expect(setImage(cluster)).toBe('cache:1');
  cluster.image('cache:missing', { startsIn: 2000, http: () => 200 });
  await retry(cluster, 'second');
  expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
  expect(images(cluster)).toEqual(['cache:missing', 'cache:missing', 'cache:missing']);
  cluster.stop();
});

test('the spec put back after it replaces no member but the one that failed', async () => {
  const { cluster } = await failed();
  await cluster.settle();
  const before = members(cluster).map(({ metadata }) => metadata.uid);
  await change(cluster, { image: 'cache:1' });
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  const after = members(cluster).map(({ metadata }) => metadata.uid);
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(after[2]).not.toBe(before[2]);
  cluster.stop();
});

test('an upgrade whose last member gets ready after it has failed is complete, and new members are made of it', async () => {
  const { cluster } = await failed({ replicas: 1 });
  await cluster.settle();
  expect(setImage(cluster)).toBe('cache:1');
  cluster.image('cache:missing', { startsIn: 2000, http: () => 200 });
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await cluster.settle();
  expect(setImage(cluster)).toBe('cache:missing');
  expect(cacheNow(cluster)?.status).toMatchObject({ currentVersion: 'cache:missing' });
  cluster.stop();
});

test('a cache that never ran has nothing to put back', async () => {
  const { cluster } = await cacheWorld();
  await caches(cluster).create(cache({ image: 'cache:missing', upgrade: { progressDeadline: '5m' } }));
  await cluster.advance(60_000);
  await change(cluster, { image: 'cache:broken' });
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  await cluster.settle();
  expect(setImage(cluster)).toBe('cache:broken');
  cluster.stop();
});

test('an operator that ends between the failure and the write of the template puts it back when it is there again', async () => {
  const { cluster, operator } = await cacheWorld();
  await caches(cluster).create(cache({ upgrade: { progressDeadline: '5m' } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  let hasEnded = false;
  cluster.server.store.subscribe(() => {
    if (hasEnded || cacheNow(cluster)?.status?.failedRevision === undefined) return;
    hasEnded = true;
    operator.restart(60_000);
  });
  await change(cluster, { image: 'cache:missing' });
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  expect([hasEnded, setImage(cluster)]).toEqual([true, 'cache:missing']);
  expect(await reaches(cluster, () => setImage(cluster) === 'cache:1')).toBe(true);
  cluster.stop();
});

test('a template that was never written, because the StatefulSet could not be, is not written after it has failed', async () => {
  const { cluster } = await cacheWorld();
  await caches(cluster).create(cache({ upgrade: { progressDeadline: '5m' } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  const policy = 'https://policy.example';
  let isRefused = true;
  cluster.external(policy, ({ body }) => {
    const { uid } = readReview(body);
    return {
      status: 200,
      body: JSON.stringify(reviewReply(uid, { allowed: !isRefused, code: 422, reason: 'Invalid', message: 'not now' })),
    };
  });
  const rule = { apiGroups: ['apps'], operations: ['UPDATE'], resources: ['statefulsets'] };
  await registerForeignWebhook(cluster, { name: 'sets.policy.example', url: policy, rule });
  const applied: (string | undefined)[] = [];
  cluster.server.store.subscribe(({ kind }) => kind === 'statefulsets.apps' && applied.push(setImage(cluster)));
  await change(cluster, { image: 'cache:missing' });
  expect(await reaches(cluster, () => hasFailed(cluster))).toBe(true);
  isRefused = false;
  await cluster.advance(3_600_000);
  expect(applied).not.toContain('cache:missing');
  await cluster.client()(pods).namespace('default').delete('sessions-1');
  expect(await reaches(cluster, () => members(cluster).filter(isReady).length === 3)).toBe(true);
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  cluster.stop();
});
