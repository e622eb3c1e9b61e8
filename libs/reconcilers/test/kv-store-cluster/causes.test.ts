import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, condition, ready, stores, until } from './store-steps.ts';

const noPull = 'container kvstore can’t pull its image “my-repo/kvstore:missing” (ImagePullBackOff)';

const manual = { upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } } as const;

const messageOf = (cluster: SimulatedCluster): string | undefined => condition(cluster, 'Progressing')?.message;

test.each(['RollingUpdate', 'Canary'] as const)(
  'an upgrade whose image can’t be pulled says so, while it waits and when it has failed (%s)',
  async (upgradeStrategy) => {
    const cluster = await ready({ upgradeStrategy, upgrade: { progressDeadline: '5m' } });
    await change(cluster, { version: 'missing' });
    await cluster.advance(120_000);
    expect(messageOf(cluster)).toContain(`orders-2: ${noPull}`);
    expect(storeNow(cluster)?.status?.upgrade?.blockedBy).toContain(noPull);
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
    expect(storeNow(cluster)?.status?.failure?.message).toContain(noPull);
    expect(messageOf(cluster)).toContain(noPull);
    cluster.stop();
  },
);

test('what a pod says is said at once, before the next look is due', async () => {
  const cluster = await ready({ upgrade: { progressDeadline: '1h' } });
  const isWaiting = () =>
    cluster.objects
      .list(pods, 'default')
      .some(({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ImagePullBackOff');
  await change(cluster, { version: 'missing' });
  await until(cluster, isWaiting);
  await cluster.advance(1_000);
  expect(messageOf(cluster)).toContain(`orders-2: ${noPull}`);
  cluster.stop();
});

test('a new cluster whose image can’t be pulled says so', async () => {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store({ version: 'missing' }));
  await cluster.advance(120_000);
  expect(condition(cluster, 'Progressing')).toMatchObject({ reason: 'Creating' });
  expect(messageOf(cluster)).toContain(`orders-0: ${noPull}`);
  cluster.stop();
});

test('a Job whose image can’t be pulled says so', async () => {
  const cluster = await ready({ upgrade: { beforeFirstPod: { command: ['migrate'], image: 'example.com/none:1' } } });
  cluster.image('example.com/none:1', { pull: 'fail' });
  await change(cluster, { version: '2.0' });
  await cluster.advance(120_000);
  expect(storeNow(cluster)?.status?.upgrade).toMatchObject({ step: 'BeforeFirstPod' });
  expect(messageOf(cluster)).toContain('can’t pull its image “example.com/none:1” (ImagePullBackOff)');
  cluster.stop();
});

// Found by using it: it still showed AwaitingPromotion, and a command that does nothing.
test.each(['Rollback', 'Stop'] as const)(
  'an upgrade that was aborted awaits nothing any more (%s)',
  async (onFailure) => {
    const cluster = await ready({ ...manual, upgrade: { onFailure } });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
    const { upgrade, failure } = storeNow(cluster)?.status ?? {};
    for (const field of ['blockedBy', 'release', 'pod']) expect(upgrade).not.toHaveProperty(field);
    expect(upgrade?.step).toBe(onFailure === 'Stop' ? undefined : 'RollingBack');
    expect(failure?.message).toContain('no user has promoted it');
    await cluster.advance(120_000);
    expect(storeNow(cluster)?.status?.upgrade).not.toHaveProperty('step');
    cluster.stop();
  },
);

test('the beginning of an upgrade is an event, also of one that is asked for again', async () => {
  const { cluster, events } = await kvStoreWorld();
  const started = () => events.filter(({ reason }) => reason === 'UpgradeStarted').map(({ note }) => note);
  await stores(cluster).create(store({ upgrade: { progressDeadline: '5m' } }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(started()).toEqual([]);
  await change(cluster, { version: 'broken' });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  expect(started()).toEqual(['from 1.0 to broken']);
  await change(cluster, { version: '1.0' });
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await change(cluster, { version: 'broken' });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  expect(started()).toEqual(['from 1.0 to broken', 'from 1.0 to broken']);
  cluster.stop();
});

test('a cluster that shrinks does not say that more members are ready than there should be', async () => {
  const cluster = await ready({ scaleDown: { before: { command: ['linger'], deadline: '6h' } } });
  await change(cluster, { replicas: 2 });
  await cluster.advance(60_000);
  expect(condition(cluster, 'Available')?.message).toBe('3 of 3 members are ready, 2 are wanted');
  cluster.stop();
});
