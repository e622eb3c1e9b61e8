import type { StatefulSet } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { longestRetryMs } from '@ordinal/lifecycle';
import { decideClusteredCache } from './decide.ts';
import { clusteredCacheMetrics } from './metrics.ts';
import { releaseMembers, preTerminateHook } from './names.ts';
import {
  now,
  created,
  cacheOf,
  childrenOf,
  podOf,
  seenOf,
  answering,
  silent,
  decided,
  conditionText,
  childRevision,
} from '../../test/clustered-cache/seen.ts';

describe('the cycle', () => {
  test('begins with the finalizer and the children', () => {
    const cache = cacheOf({ port: 1 }, { metadata: { finalizers: [] } });
    const nothing = { set: undefined, membersService: undefined, clientService: undefined, budget: undefined };
    expect(
      decided({
        cache,
        children: nothing,
        pods: [],
        jobs: [],
        taskPods: [],
        outputs: new Map(),
        reserved: undefined,
        isConfirmed: true,
        isSizeSeen: true,
      }).actions,
    ).toEqual([
      `add finalizer ${releaseMembers} to ClusteredCache shop/sessions`,
      'apply Service shop/sessions',
      'apply Service shop/sessions-client',
      'apply PodDisruptionBudget shop/sessions',
      'apply StatefulSet shop/sessions',
    ]);
  });

  test('does nothing when all is as wanted, and says so', () => {
    const { actions, status, lookAgainAt } = decided(seenOf(cacheOf()));
    expect(actions).toEqual([]);
    expect(lookAgainAt).toBeUndefined();
    expect(status).toMatchObject({ currentVersion: 'cache:1', readyReplicas: 3, updatedReplicas: 3 });
    expect(
      ['Available', 'Ready', 'Progressing', 'Degraded', 'Upgrading'].map((type) => conditionText(status, type)),
    ).toEqual([
      'True AllMembersReady',
      'True AllMembersReady',
      'False Settled',
      'False AsWanted',
      'False NotUpgrading',
    ]);
  });

  test('lets a deletion come first, whatever is wrong with the object (S0.25)', () => {
    const cache = cacheOf({ image: 'not an image' }, { metadata: { deletionTimestamp: created } });
    const held = podOf(2, cache, { metadata: { finalizers: [preTerminateHook] } });
    expect(decided(seenOf(cache, cacheOf(), { pods: [held] })).actions).toEqual([
      `remove finalizer ${preTerminateHook} from Pod shop/sessions-2`,
      `remove finalizer ${releaseMembers} from ClusteredCache shop/sessions`,
    ]);
  });

  test('adds no finalizer to an object that is being deleted (I25)', () => {
    const cache = cacheOf({}, { metadata: { deletionTimestamp: created, finalizers: ['another'] } });
    expect(decided(seenOf(cache)).actions).toEqual([]);
  });

  test('touches nothing of an invalid object but pods that have ended', () => {
    const cache = cacheOf({ image: 'not an image', replicas: 9 });
    const gone = podOf(2, cache, { metadata: { finalizers: [preTerminateHook], deletionTimestamp: created } });
    const { actions, status, events, lookAgainAt } = decided(seenOf(cache, cacheOf(), { pods: [gone] }));
    expect(actions).toEqual([`remove finalizer ${preTerminateHook} from Pod shop/sessions-2`]);
    expect(status?.processingError).toMatchObject({
      reason: 'InvalidSpec',
      message: 'spec.image: an image has no white space',
    });
    expect(events).toEqual(['ProcessingError']);
    expect(lookAgainAt).toBe(now + longestRetryMs);
  });

  test('does nothing while it is paused', () => {
    const cache = cacheOf({ image: 'cache:2' }, { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } });
    const { actions, status } = decided(seenOf(cache, cacheOf()));
    expect(actions).toEqual([]);
    expect(conditionText(status, 'Progressing')).toBe('False Paused');
  });

  test('lets a deletion come before a pause', () => {
    const annotations = { 'ordinal.dev/paused': 'true' };
    const cache = cacheOf({}, { metadata: { annotations, deletionTimestamp: created } });
    expect(decided(seenOf(cache)).actions).toEqual([
      `remove finalizer ${releaseMembers} from ClusteredCache shop/sessions`,
    ]);
  });

  test('does not touch what belongs to another owner (I13)', () => {
    const cache = cacheOf();
    const children = childrenOf(cache);
    const set = {
      ...children.set,
      metadata: { ...children.set!.metadata, ownerReferences: [] },
    } as unknown as StatefulSet; // Only its owner differs.
    const { actions, status } = decided(seenOf(cache, cache, { children: { ...children, set } }));
    expect(actions).toEqual([]);
    expect(status?.processingError?.reason).toBe('NameTaken');
  });

  test('puts back what has drifted, and deletes what is wanted no more', () => {
    const cache = cacheOf();
    const before = cacheOf({ port: 1 });
    expect(decided(seenOf(cache, before), answering({ ok: true, message: '' })).actions).toEqual([
      'apply Service shop/sessions',
      'apply StatefulSet shop/sessions',
      'delete Service shop/sessions-client',
    ]);
  });
});

describe('an upgrade', () => {
  const status = { currentVersion: 'cache:1', currentRevision: childRevision(cacheOf()) };
  const wanted = cacheOf({ image: 'cache:2' }, { status });

  test('first changes the StatefulSet, keeping the template that ran, and records its start', () => {
    const { actions, status: shown, events } = decided(seenOf(wanted, cacheOf()));
    expect(actions).toEqual(['apply StatefulSet shop/sessions']);
    expect(shown).toMatchObject({
      currentVersion: 'cache:1',
      targetVersion: 'cache:2',
      updatedReplicas: 0,
      upgrade: { step: 'Starting', startedAt: '2026-01-01T01:00:00Z', deadline: '2026-01-01T01:15:00Z' },
    });
    expect(conditionText(shown, 'Available')).toBe('True Upgrading');
    expect(events).toEqual(['UpgradeStarted']);
    const verdict = decideClusteredCache(seenOf(wanted, cacheOf()), silent);
    const [apply] = 'decision' in verdict ? verdict.decision.actions : [];
    expect(apply).toMatchObject({
      object: {
        metadata: {
          uid: 'StatefulSet',
          annotations: { 'ordinal.dev/previous-template': expect.stringContaining('cache:1') },
        },
      },
    });
  });

  test('replaces no member when only claims or replicas differ (I29)', () => {
    const grown = cacheOf({ replicas: 4, podDisruptionBudget: { maxUnavailable: 2 } }, { status });
    expect(decided(seenOf(grown, cacheOf())).status?.upgrade).toBeUndefined();
  });

  test('that began in the future, because the clock was set back, has its deadline from now on', () => {
    const upgrade = { revision: childRevision(wanted), startedAt: '2026-01-01T02:00:00Z', step: 'Starting' };
    const before = cacheOf({ image: 'cache:2' }, { status: { ...status, upgrade } });
    expect(decided(seenOf(before, cacheOf())).status?.upgrade).toMatchObject({
      startedAt: '2026-01-01T01:00:00Z',
      deadline: '2026-01-01T01:15:00Z',
    });
  });

  describe('of which a member has come back', () => {
    const deadline = '2026-01-01T01:00:00Z';
    const times = { startedAt: created, since: created, deadline };
    const recorded = { revision: childRevision(wanted), ...times, step: 'AwaitingReady' };
    const image = 'cache:2';
    const upgraded = (upgrade: object, ready: boolean) => {
      const pods = [podOf(0, cacheOf()), podOf(1, cacheOf()), podOf(2, wanted, { ready })];
      const before = cacheOf({ image }, { status: { ...status, upgrade: { ...recorded, ...upgrade } } });
      return decided(seenOf(before, before, { pods })).status?.upgrade;
    };

    test('has its deadline from then on', () => {
      const moved = { lastProgressAt: '2026-01-01T01:00:00Z', updated: 1, deadline: '2026-01-01T01:15:00Z' };
      expect(upgraded({}, true)).toMatchObject({ startedAt: created, ...moved });
    });

    test('fails all the same where that one comes and goes', () => {
      const lastProgressAt = '2026-01-01T00:45:00Z';
      expect(upgraded({ lastProgressAt, updated: 1 }, true)).toMatchObject({ step: 'Failed', lastProgressAt });
    });
  });

  test.each([created, '2026-01-01T02:00:00Z'])(
    'waits for a member that is reserved while its reservation stands, whatever the clock says to %s',
    (until) => {
      const metadata = { annotations: { 'ordinal.dev/reservation': `pod-1 ${until}` } };
      const before = cacheOf({ image: 'cache:2', upgrade: { gates: [] } }, { status, metadata });
      const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, cacheOf()));
      const stands = decided(seenOf(before, before, { pods, reserved: 'pod-1' }));
      expect(stands.status?.upgrade).toMatchObject({ step: 'AwaitingReplacement', pod: 'sessions-1' });
      expect(stands.actions.filter((action) => action.includes('Pod '))).toEqual([]);
      expect(stands.lookAgainAt).toBe(now + 15_000);
      expect(decided(seenOf(before, before, { pods })).status?.upgrade).toMatchObject({ pod: 'sessions-2' });
    },
  );

  test('that is taken back while a member keeps its name goes on with that one', () => {
    const ended = { deletionTimestamp: '2026-01-01T00:59:30Z', finalizers: [preTerminateHook] };
    const since = '2026-01-01T00:59:50Z';
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since }];
    const back = podOf(1, cacheOf());
    const leaving = podOf(2, cacheOf(), { metadata: ended });
    const pods = [podOf(0, cacheOf()), { ...back, status: { ...back.status, conditions } }, leaving];
    const record = { step: 'AwaitingTermination', pod: 'sessions-2', podUID: 'pod-2', startedAt: created, since };
    const upgrade = { ...record, revision: childRevision(wanted) };
    const takenBack = cacheOf({}, { status: { ...status, upgrade } });
    const { actions, status: shown } = decided(seenOf(takenBack, takenBack, { pods }));
    expect(actions).toEqual([]);
    expect(shown?.upgrade).toMatchObject({
      ...{ revision: childRevision(cacheOf()), pod: 'sessions-2', step: 'AwaitingTermination' },
      blockedBy: 'peer sessions-1 is not ready',
    });
  });

  test('that fails while its StatefulSet could not be written is not brought to it any more (S0.8)', () => {
    const times = { startedAt: created, since: created, deadline: '2026-01-01T00:15:00Z' };
    const record = { revision: childRevision(wanted), ...times, step: 'Starting' };
    const before = cacheOf(
      { image: 'cache:2', upgrade: { onFailure: 'Rollback' } },
      { status: { ...status, upgrade: record } },
    );
    const { actions, status: shown, lookAgainAt } = decided(seenOf(before, cacheOf()));
    expect(shown).toMatchObject({ failedRevision: childRevision(wanted), upgrade: { step: 'Failed' } });
    expect({ actions, lookAgainAt }).toEqual({ actions: [], lookAgainAt: now });
  });

  test('that has failed is remembered, and not begun again', () => {
    const failing = {
      ...status,
      upgrade: {
        revision: childRevision(wanted),
        startedAt: created,
        deadline: '2026-01-01T00:15:00Z',
        step: 'AwaitingGate',
        since: created,
        pod: 'sessions-2',
        podUID: 'pod-2',
      },
    };
    const pods = [
      podOf(0, cacheOf()),
      podOf(1, cacheOf()),
      podOf(2, cacheOf(), { metadata: { finalizers: [preTerminateHook] } }),
    ];
    const first = decided(seenOf(cacheOf({ image: 'cache:2' }, { status: failing }), cacheOf(), { pods }));
    expect(first.status).toMatchObject({
      failedRevision: childRevision(wanted),
      currentVersion: 'cache:1',
      upgrade: { step: 'Failed' },
    });
    expect(conditionText(first.status, 'Available')).toBe('False UpgradeFailed');
    expect(first.events).toEqual(['UpgradeFailed']);
    const again = decided(seenOf(cacheOf({ image: 'cache:2' }, { status: first.status as object }), cacheOf()));
    expect(again.status?.upgrade).toMatchObject({
      step: 'Failed',
      message: expect.stringContaining('Timed out waiting for health checks on pod sessions-2'),
    });
    expect(again.events).toEqual([]);
  });
});

test('metrics tell of a failed upgrade, and of how long one has been at its step', () => {
  const upgrade = {
    revision: 'r',
    startedAt: '2026-01-01T00:59:00Z',
    since: '2026-01-01T00:59:30Z',
    step: 'AwaitingGate',
  };
  const values = (status: object) =>
    Object.fromEntries(
      clusteredCacheMetrics([cacheOf({}, { status })], now).map(({ name, value }) => [
        name.replace('ordinal_clusteredcache_', ''),
        value,
      ]),
    );
  expect(values({ upgrade })).toEqual({
    upgrade_failed: 0,
    gate_bypassed: 0,
    check_failed: 0,
    processing_error: 0,
    upgrade_seconds: 60,
    upgrade_step_seconds: 30,
  });
  expect(values({ failedRevision: 'r', upgrade: { ...upgrade, step: 'Failed' } })).toEqual({
    upgrade_failed: 1,
    gate_bypassed: 0,
    check_failed: 0,
    processing_error: 0,
  });
});

describe('a member', () => {
  const [before, after] = [cacheOf(), cacheOf({ image: 'cache:2' })];

  test('is no pod of another StatefulSet of this name (I13)', () => {
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'sessions', uid: 'earlier', controller: true },
    ];
    const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, before, { metadata: { ownerReferences } }));
    expect(decided(seenOf(before, before, { pods })).status?.replicas).toBe(0);
  });

  test('stays until the controller of the StatefulSet has seen the new template', () => {
    const children = childrenOf(after);
    const set = { ...children.set, metadata: { ...children.set?.metadata, generation: 2 } } as StatefulSet; // A newer one.
    const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, before));
    expect(decided(seenOf(after, after, { children: { ...children, set }, pods })).actions).toEqual([]);
  });
});
