import type { ClusteredCache } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { preTerminateHook } from './names.ts';
import type { CacheObservation } from './observe.ts';
import {
  cacheOf,
  childRevision,
  childrenOf,
  conditionText,
  decided,
  now,
  podOf,
  seenOf,
} from '../../test/clustered-cache/seen.ts';

const minute = 60_000;
const at = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
const former = cacheOf();
const wanted = cacheOf({ image: 'cache:2' });

/** An upgrade from `cache:1` to `cache:2` that began so long ago and waits for its gate, with a member held. */
function upgrading(agoMs: number, spec: object = {}, metadata: object = {}): CacheObservation {
  const upgrade = {
    revision: childRevision(wanted),
    startedAt: at(now - agoMs),
    deadline: at(now - agoMs + 15 * minute),
    step: 'AwaitingGate',
    since: at(now - agoMs),
    ...{ pod: 'sessions-2', podUID: 'pod-2' },
  };
  const status = {
    ...{ currentVersion: 'cache:1', currentRevision: childRevision(former), targetVersion: 'cache:2', upgrade },
    conditions: ['Available', 'Upgrading'].map((type) => ({
      ...{ type, status: 'True', reason: 'Upgrading', message: '', lastTransitionTime: at(now - agoMs) },
    })),
  };
  const held = { metadata: { finalizers: [preTerminateHook] } };
  const pods = [podOf(0, former), podOf(1, former), podOf(2, former, held)];
  return seenOf(cacheOf({ image: 'cache:2', ...spec }, { status, metadata }), wanted, { pods });
}

/** The StatefulSet of its name has no owner any more. */
function taken(seen: CacheObservation): CacheObservation {
  const { set } = seen.children;
  const lost = { ...set, metadata: { ...set?.metadata, ownerReferences: [] } } as unknown as StatefulSet; // Only its owner differs.
  return { ...seen, children: { ...seen.children, set: lost } };
}

/** The same, with the status that was decided. */
const after = (seen: CacheObservation, status: ClusteredCache['status']): CacheObservation => ({
  ...seen,
  cache: { ...seen.cache, ...(status && { status }) },
});

describe.each([
  ['NameTaken', (agoMs: number) => taken(upgrading(agoMs))],
  ['InvalidSpec', (agoMs: number) => upgrading(agoMs, { image: 'no image' })],
  ['InvalidSpec', (agoMs: number) => upgrading(agoMs, { upgrade: { progressDeadline: 'soon' } })],
])('an upgrade while nothing can be decided (%s)', (reason, seenAfter) => {
  test('is reported until its deadline, which is waited for', () => {
    const seen = seenAfter(14 * minute);
    const processingError = { reason, message: 'of before', since: at(now - 60 * minute) };
    const { actions, status, events, lookAgainAt } = decided(after(seen, { ...seen.cache.status, processingError }));
    expect({ actions, events, lookAgainAt }).toEqual({
      actions: [],
      events: ['ProcessingError'],
      lookAgainAt: now + minute,
    });
    expect(conditionText(status, 'Available')).toBe('True Upgrading');
    expect(conditionText(status, 'Degraded')).toBe(`True ${reason}`);
  });

  test('fails at its deadline (I19), releases its members (I3), and the problem stays reported', () => {
    const { actions, status, events } = decided(seenAfter(15 * minute));
    expect(actions).toEqual([`remove finalizer ${preTerminateHook} from Pod shop/sessions-2`]);
    expect(events).toEqual(['UpgradeFailed', 'ProcessingError']);
    expect(status).toMatchObject({
      ...{ currentVersion: 'cache:1', failedRevision: childRevision(wanted), processingError: { reason } },
      upgrade: {
        step: 'Failed',
        message: expect.stringContaining('Timed out waiting for health checks on pod sessions-2'),
      },
    });
    expect(['Available', 'Upgrading', 'Degraded', 'Ready'].map((type) => conditionText(status, type))).toEqual([
      ...['False UpgradeFailed', 'False UpgradeFailed'],
      ...[`True ${reason}`, `False ${reason}`],
    ]);
  });

  test('fails once, and members that are still held are released all the same', () => {
    const seen = seenAfter(15 * minute);
    const first = decided(seen);
    const again = decided(after(seen, first.status));
    expect(again.events).not.toContain('UpgradeFailed');
    expect(again.actions).toEqual(first.actions);
    expect(again.status).toEqual(first.status);
  });
});

test('an upgrade that has failed meanwhile tells why when the trouble is over, and is not begun again', () => {
  const seen = taken(upgrading(15 * minute));
  const { status } = decided(seen);
  const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, former));
  const over = decided({ ...after(seen, status), children: childrenOf(wanted), pods });
  expect(over.status?.upgrade?.step).toBe('Failed');
  expect(over.status?.processingError).toBeUndefined();
  // The failure was reported before; what ran is put back now.
  expect(over.events).toEqual(['TemplateRestored']);
  for (const type of ['Available', 'Degraded']) {
    const condition = over.status?.conditions?.find((one) => one.type === type);
    expect(condition).toMatchObject({ reason: 'UpgradeFailed', message: expect.stringContaining('Timed out') });
  }
});

test('a retry that is asked for meanwhile is made when the trouble is over', () => {
  const seen = taken(upgrading(15 * minute));
  const annotations = { 'ordinal.dev/retry': 'again' };
  const asked = { ...after(seen, decided(seen).status) };
  const { cache } = asked;
  const retried = { ...asked, cache: { ...cache, metadata: { ...cache.metadata, annotations } } };
  const { status } = decided(retried);
  const over = decided({ ...after(retried, status), children: childrenOf(wanted) });
  expect(over.status?.failedRevision).toBeUndefined();
  expect(over.status?.upgrade?.step).not.toBe('Failed');
});

test('an upgrade whose members all run and serve has not failed because it could not be said in time', () => {
  const pods = [0, 1, 2].map((ordinal) => podOf(ordinal, wanted));
  const { status, events, lookAgainAt } = decided({ ...taken(upgrading(60 * minute)), pods });
  expect(status?.upgrade?.step).toBe('AwaitingGate');
  expect(events).toEqual(['ProcessingError']);
  expect(lookAgainAt).toBe(now + 1000);
});

test('an upgrade that began in the future, because the clock was set back, has its deadline from now on', () => {
  const { status, lookAgainAt } = decided(taken(upgrading(-60 * minute)));
  expect(status?.upgrade).toMatchObject({ startedAt: at(now), deadline: at(now + 15 * minute) });
  expect(lookAgainAt).toBe(now + 1000);
});

test('an upgrade whose next member has come back meanwhile has its deadline from then on, and that is recorded once', () => {
  const seen = taken(upgrading(16 * minute));
  const pods = [podOf(0, former), podOf(1, former), podOf(2, wanted)];
  const { status } = decided({ ...seen, pods });
  const recorded = { lastProgressAt: at(now), updated: 1, deadline: at(now + 15 * minute), step: 'AwaitingGate' };
  expect(status?.upgrade).toMatchObject(recorded);
  const late = decided({ ...after(seen, status), pods }, { answers: new Map(), now: now + 15 * minute });
  expect(late.status?.upgrade).toMatchObject({ step: 'Failed', updated: 1 });
});

test('a rollback fails at its deadline too, and what has failed before it stays so', () => {
  const seen = taken(upgrading(15 * minute));
  const upgrade = { ...seen.cache.status?.upgrade, revision: childRevision(former), step: 'AwaitingReady', updated: 2 };
  const status = { ...seen.cache.status, upgrade, failedRevision: childRevision(wanted) } as ClusteredCache['status'];
  const pods = [podOf(0, former), podOf(1, former), podOf(2, wanted, { ready: false })];
  const { status: reported } = decided({ ...after(seen, status), pods });
  expect(reported).toMatchObject({ failedRevision: childRevision(wanted), upgrade: { step: 'Failed' } });
});

test('a cache that a user has paused has no deadline', () => {
  const seen = upgrading(60 * minute, {}, { annotations: { 'ordinal.dev/paused': 'true' } });
  const { actions, status, events, lookAgainAt } = decided(seen);
  expect({ actions, events, lookAgainAt }).toEqual({ actions: [], events: [], lookAgainAt: undefined });
  expect(status?.upgrade?.step).toBe('AwaitingGate');
});

test.each([
  ['its next member', 'Paused', 'Starting'],
  ['one that is away', 'AwaitingReady', 'AwaitingReady'],
])(
  'an upgrade that a user had paused before %s has its deadline from when the pause is over',
  (_which, step, goesOn) => {
    const paused = (isPaused: boolean): CacheObservation => {
      const seen = taken(upgrading(60 * minute, { upgrade: { paused: isPaused } }));
      const { deadline: _none, ...upgrade } = seen.cache.status?.upgrade ?? {};
      return after(seen, { ...seen.cache.status, upgrade: { ...upgrade, step } } as ClusteredCache['status']);
    };
    const waiting = decided(paused(true));
    expect(waiting.status?.upgrade).toMatchObject({ step });
    expect(waiting.status?.upgrade?.deadline).toBeUndefined();
    const resumed = paused(false);
    const { status } = decided(resumed);
    expect(status?.upgrade).toMatchObject({ step: goesOn, deadline: at(now + 15 * minute) });
    const late = decided(after(resumed, status), { answers: new Map(), now: now + 15 * minute });
    expect(late.status?.upgrade).toMatchObject({ step: 'Failed' });
  },
);

test('an upgrade that a user pauses and resumes while nothing can be decided has its deadline from then on', () => {
  const seen = upgrading(10 * minute);
  const paused = (status: ClusteredCache['status'], isPaused: boolean): CacheObservation =>
    taken(after({ ...seen, cache: cacheOf({ image: 'cache:2', upgrade: { paused: isPaused } }) }, status));
  const waiting = decided(paused(seen.cache.status, true));
  expect(waiting.status?.upgrade).not.toHaveProperty('deadline');
  expect(waiting.status?.upgrade?.step).toBe('AwaitingGate');
  const later = now + 60 * minute;
  const { status } = decided(paused(waiting.status, false), { answers: new Map(), now: later });
  expect(status?.upgrade).toMatchObject({ step: 'AwaitingGate', deadline: at(later + 15 * minute) });
});
