import { afterEach, describe, expect, test } from 'vitest';
import { pods, statefulSets } from '@ordinal/client';
import type { InterceptedRequest, SimulatedCluster } from '@ordinal/simulator';
import { refuse } from '../writes/refuse.ts';
import type { CacheWorld } from './cache-world.ts';
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

const worlds: CacheWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

async function settled(spec: Parameters<typeof cache>[0] = {}): Promise<CacheWorld> {
  const world = await cacheWorld();
  worlds.push(world);
  await caches(world.cluster).create(cache(spec));
  expect(
    await reaches(world.cluster, () => isSettled(world.cluster)),
    JSON.stringify(cacheNow(world.cluster)?.status),
  ).toBe(true);
  return world;
}

describe('a new cache', () => {
  test('gets its children, and tells when it is available', async () => {
    const { cluster } = await settled();
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
    expect(cacheNow(cluster)?.status).toMatchObject({
      currentVersion: 'cache:1',
      readyReplicas: 3,
      updatedReplicas: 3,
    });
    expect(said(cluster, 'Available')).toBe('True AllMembersReady');
    expect(cacheNow(cluster)?.status?.upgrade).toBeUndefined();
  });

  test('is written no more when nothing changes', async () => {
    const { cluster, operator } = await settled();
    await cluster.settle();
    const before = operator.writes;
    await cluster.advance(3_600_000);
    expect(operator.writes).toBe(before);
  });
});

describe('an upgrade', () => {
  test('is under way when the cache has looked at it, which is not Ready before its end', async () => {
    const { cluster } = await settled();
    await change(cluster, { image: 'cache:2' });
    const generation = cacheNow(cluster)?.metadata.generation;
    const early: string[] = [];
    cluster.server.store.subscribe(() => {
      const isLookedAt = cacheNow(cluster)?.status?.observedGeneration === generation;
      const isReadyNow = isLookedAt && said(cluster, 'Ready')?.startsWith('True') === true;
      if (isReadyNow && images(cluster).some((image) => image !== 'cache:2')) early.push(images(cluster).join());
    });
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(early).toEqual([]);
  });

  test('replaces the members one by one from the highest, and then counts as done', async () => {
    const { cluster, events } = await settled();
    const order: string[] = [];
    cluster.server.store.subscribe(({ kind, deleted, after }) => {
      if (kind === 'pods' && deleted) order.push(after.metadata.name);
    });
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(order).toEqual(['sessions-2', 'sessions-1', 'sessions-0']);
    expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
    expect(cacheNow(cluster)?.status).toMatchObject({ currentVersion: 'cache:2' });
    await cluster.advance(1000);
    expect(events.map(({ reason }) => reason)).toEqual([
      'UpgradeStarted',
      'TakingDown',
      'TakingDown',
      'TakingDown',
      'UpgradeCompleted',
    ]);
  });

  test('shows which gate holds it up, and the command that would release it', async () => {
    const { cluster } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate')).toBe(true);
    const pod = members(cluster)[2];
    expect(cacheNow(cluster)?.status?.upgrade).toMatchObject({
      step: 'AwaitingGate',
      pod: 'sessions-2',
      podUID: pod?.metadata.uid,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      blockedBy: 'gate ready-for-shutdown: sessions-0: HTTP 503',
      release: `kubectl annotate -n default clusteredcache sessions ordinal.dev/open-gates=${pod?.metadata.uid} --overwrite`,
    });
    expect(said(cluster, 'Available')).toBe('True Upgrading');
  });

  test('fails at its deadline, removes the finalizer of the pod, and is not tried again', async () => {
    const { cluster, operator, events } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => said(cluster, 'Available') === 'False UpgradeFailed')).toBe(true);
    expect(condition(cluster, 'Available')?.message).toContain('Timed out waiting for health checks on pod sessions-2');
    await cluster.settle();
    const before = operator.writes;
    await cluster.advance(3_600_000);
    expect(operator.writes).toBe(before);
    expect(members(cluster).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(events.filter(({ reason }) => reason === 'UpgradeFailed')).toHaveLength(1);
    expect(cacheNow(cluster)?.status?.currentVersion).toBe('cache:stubborn');
  });

  test('that failed is tried again when a user asks for it', async () => {
    const { cluster } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => said(cluster, 'Available') === 'False UpgradeFailed');
    await change(cluster, { upgrade: { gates: [] } });
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual(['cache:stubborn', 'cache:stubborn', 'cache:stubborn']);
    await caches(cluster).patch('sessions', {
      type: 'merge',
      body: { metadata: { annotations: { 'ordinal.dev/retry': '1' } } },
    });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
  });

  test.each(['cache:broken', 'cache:missing'])(
    'to %s is rolled back where that is asked for, and the broken pod replaced',
    async (image) => {
      const { cluster, events } = await settled({ upgrade: { onFailure: 'Rollback' } });
      await change(cluster, { image });
      expect(
        await reaches(cluster, () => said(cluster, 'Available') === 'True RolledBack'),
        JSON.stringify(cacheNow(cluster)?.status),
      ).toBe(true);
      expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
      expect(cacheNow(cluster)?.status).toMatchObject({ currentVersion: 'cache:1' });
      await cluster.advance(3_600_000);
      expect(events.filter(({ reason }) => reason !== 'TakingDown').map(({ reason }) => reason)).toEqual([
        'UpgradeStarted',
        'UpgradeFailed',
        'RollingBack',
        'RolledBack',
      ]);
      expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
      await change(cluster, { image: 'cache:3' });
      expect(
        await reaches(cluster, () => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:3'),
      ).toBe(true);
      expect(cacheNow(cluster)?.status?.failedRevision).toBeUndefined();
    },
  );

  describe('that was rolled back', () => {
    const rolledBack = (cluster: SimulatedCluster) => said(cluster, 'Available') === 'True RolledBack';
    const ask = (cluster: SimulatedCluster, value: string | null) => {
      const annotations = { 'ordinal.dev/retry': value };
      return caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    };

    async function afterRollback(): Promise<{
      readonly cluster: SimulatedCluster;
      readonly seen: Set<string | undefined>;
    }> {
      const { cluster } = await settled({ upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } });
      await change(cluster, { image: 'cache:broken' });
      expect(await reaches(cluster, () => rolledBack(cluster))).toBe(true);
      const seen = new Set<string | undefined>();
      cluster.server.store.subscribe(() => images(cluster).forEach((image) => seen.add(image)));
      return { cluster, seen };
    }

    test('stays so where a failure is to stop from now on, until a user asks for it', async () => {
      const { cluster, seen } = await afterRollback();
      await change(cluster, { upgrade: { onFailure: 'Stop' } });
      await cluster.advance(1_800_000);
      expect([[...seen], rolledBack(cluster)]).toEqual([['cache:1'], true]);
      await ask(cluster, 'now');
      expect(await reaches(cluster, () => images(cluster).includes('cache:broken'))).toBe(true);
    });

    test('stays so where the annotation that asked for another try is taken away, and where it comes back', async () => {
      const { cluster, seen } = await afterRollback();
      await ask(cluster, '1');
      expect(await reaches(cluster, () => !rolledBack(cluster))).toBe(true);
      expect(await reaches(cluster, () => rolledBack(cluster))).toBe(true);
      expect(seen).toContain('cache:broken');
      seen.clear();
      await ask(cluster, null);
      await cluster.advance(900_000);
      await ask(cluster, '1');
      await cluster.advance(900_000);
      expect([[...seen], rolledBack(cluster)]).toEqual([['cache:1'], true]);
      await ask(cluster, '2');
      expect(await reaches(cluster, () => images(cluster).includes('cache:broken'))).toBe(true);
    });
  });

  test.each(['10s', '20s'])(
    'is rolled back also where its deadline, %s, is shorter than a start may take',
    async (progressDeadline) => {
      const { cluster } = await settled({ upgrade: { onFailure: 'Rollback', progressDeadline } });
      await change(cluster, { image: 'cache:broken' });
      expect(
        await reaches(cluster, () => said(cluster, 'Available') === 'True RolledBack'),
        JSON.stringify(cacheNow(cluster)?.status),
      ).toBe(true);
      expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
    },
  );

  test('that failed within a short deadline is repaired by another one with the same deadline', async () => {
    const { cluster } = await settled({ upgrade: { progressDeadline: '20s' } });
    await change(cluster, { image: 'cache:broken' });
    expect(await reaches(cluster, () => images(cluster).includes('cache:broken'))).toBe(true);
    await change(cluster, { image: 'cache:1' });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  });

  test('from members that can’t say who leads goes on by the commands that the status names', async () => {
    const world = await cacheWorld();
    worlds.push(world);
    const { cluster } = world;
    cluster.image('cache:1', { startsIn: 2000, http: ({ url }) => (url.pathname === '/role' ? 404 : 200) });
    const role = (pod: string): string => (pod === 'sessions-1' ? 'leader' : 'follower');
    cluster.image('cache:2', { startsIn: 2000, http: (_request, { pod }) => ({ status: 200, body: role(pod) }) });
    await caches(cluster).create(cache());
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    const upgrade = { order: 'LeaderLast', role: { http: { path: '/role' } } };
    await change(cluster, { image: 'cache:2', upgrade });
    const opened = new Set<string>();
    const released = () => /open-gates=(\S+)/.exec(cacheNow(cluster)?.status?.upgrade?.release ?? '')?.[1] ?? '';
    const next = () => released() !== '' && !opened.has(released());
    while ((await reaches(cluster, () => next() || isSettled(cluster))) && !isSettled(cluster)) {
      opened.add(released());
      const annotations = { 'ordinal.dev/open-gates': released() };
      await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
      await cluster.advance(60_000);
    }
    // The last one is the last in any case.
    expect([images(cluster), opened.size]).toEqual([['cache:2', 'cache:2', 'cache:2'], 2]);
  });

  test('that is reverted in the middle goes back at once', async () => {
    const { cluster } = await settled();
    await change(cluster, { image: 'cache:broken' });
    expect(await reaches(cluster, () => images(cluster).includes('cache:broken'))).toBe(true);
    await change(cluster, { image: 'cache:1' });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
    expect(cluster.clock.now() - cluster.startedAt).toBeLessThan(600_000);
  });

  test('survives that a user removes the finalizer, and reports it', async () => {
    const { cluster, events } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate');
    await cluster
      .client()(pods)
      .namespace('default')
      .patch('sessions-2', { type: 'merge', body: { metadata: { finalizers: null } } });
    await cluster.client()(pods).namespace('default').delete('sessions-2');
    expect(await reaches(cluster, () => events.some(({ reason }) => reason === 'GateBypassed'))).toBe(true);
    expect(said(cluster, 'GateBypassed')).toBe('True GateBypassed');
    await change(cluster, { upgrade: { gates: [] } });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
  });
});

describe('a paused upgrade', () => {
  test('reports that a user removes the finalizer from the member that it holds', async () => {
    const { cluster, events } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.held !== undefined);
    await change(cluster, { upgrade: { paused: true } });
    await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'Paused');
    const client = cluster.client()(pods).namespace('default');
    await client.patch('sessions-2', { type: 'merge', body: { metadata: { finalizers: null } } });
    await client.delete('sessions-2');
    await cluster.advance(60_000);
    expect(said(cluster, 'GateBypassed')).toBe('True GateBypassed');
    expect(events.filter(({ reason }) => reason === 'GateBypassed')).toHaveLength(1);
  });
});

describe('scaling', () => {
  test('up happens at once', async () => {
    const { cluster } = await settled();
    await change(cluster, { replicas: 5 });
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(members(cluster)).toHaveLength(5);
  });

  test('down takes one member at a time', async () => {
    const { cluster } = await settled({ replicas: 5 });
    let max = 0;
    cluster.server.store.subscribe(() => {
      max = Math.max(max, members(cluster).filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length);
    });
    await change(cluster, { replicas: 2 });
    expect(await reaches(cluster, () => isSettled(cluster)), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
    expect(members(cluster)).toHaveLength(2);
    expect(max).toBe(1);
  });

  test('down waits for its gates also where the StatefulSet is lost meanwhile', async () => {
    const { cluster } = await settled({ replicas: 5, image: 'cache:stubborn' });
    await change(cluster, { replicas: 2 });
    await cluster.advance(120_000);
    await cluster.client()(statefulSets).namespace('default').delete('sessions', { propagationPolicy: 'Orphan' });
    await cluster.advance(120_000);
    expect(members(cluster).filter(isReady)).toHaveLength(5);
    expect(setNow(cluster)?.spec.replicas).toBe(5);
    await change(cluster, { upgrade: { gates: [] } });
    expect(await reaches(cluster, () => isSettled(cluster) && members(cluster).length === 2)).toBe(true);
  });

  const isTooMany = (pod: string): boolean => pod === 'sessions-3' || pod === 'sessions-4';
  const cannotStart = (cluster: SimulatedCluster): void =>
    cluster.image('cache:1', { startsIn: 2000, http: () => 200, ready: ({ pod }) => !isTooMany(pod) });

  test('up beyond what can start is taken back', async () => {
    const { cluster } = await settled();
    cannotStart(cluster);
    await change(cluster, { replicas: 5 });
    await cluster.advance(120_000);
    await change(cluster, { replicas: 3 });
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(members(cluster)).toHaveLength(3);
  });

  test('up beyond what can be made is taken back', async () => {
    const { cluster } = await settled();
    const isOneTooMany = (request: InterceptedRequest): boolean =>
      request.verb === 'create' &&
      request.resource.plural === 'pods' &&
      /sessions-[34]/.test(JSON.stringify(request.body));
    refuse(cluster, isOneTooMany, { message: 'exceeded quota: pods' });
    await change(cluster, { replicas: 5 });
    await cluster.advance(120_000);
    expect(members(cluster)).toHaveLength(3);
    await change(cluster, { replicas: 3 });
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(setNow(cluster)?.spec.replicas).toBe(3);
  });

  test('of the StatefulSet by hand, beyond what can start, is put back', async () => {
    const { cluster } = await settled();
    cannotStart(cluster);
    const sets = cluster.client()(statefulSets).namespace('default');
    await sets.patch('sessions', { type: 'merge', body: { spec: { replicas: 5 } } });
    await cluster.advance(120_000);
    expect(setNow(cluster)?.spec.replicas).toBe(3);
    expect(isSettled(cluster)).toBe(true);
  });

  test('of the StatefulSet by hand is put back', async () => {
    const { cluster } = await settled();
    await cluster
      .client()(statefulSets)
      .namespace('default')
      .patch('sessions', { type: 'merge', body: { spec: { replicas: 1 } } });
    expect(await reaches(cluster, () => setNow(cluster)?.spec.replicas === 3)).toBe(true);
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  });
});

describe('deleting the cache', () => {
  test('takes everything with it, also in the middle of an upgrade', async () => {
    const { cluster } = await settled({ image: 'cache:stubborn' });
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate');
    await caches(cluster).delete('sessions');
    expect(await reaches(cluster, () => cacheNow(cluster) === undefined && members(cluster).length === 0)).toBe(true);
    expect(setNow(cluster)).toBeUndefined();
  });

  test('works for one that became invalid', async () => {
    const { cluster } = await settled();
    await change(cluster, { image: 'not an image' });
    expect(await reaches(cluster, () => said(cluster, 'Degraded') === 'True InvalidSpec')).toBe(true);
    await caches(cluster).delete('sessions');
    expect(await reaches(cluster, () => cacheNow(cluster) === undefined)).toBe(true);
  });
});
