import { describe, expect, test } from 'vitest';
import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { reservationAnnotation } from '../annotations.ts';
import {
  cacheOf,
  childrenOf,
  conditionText,
  created,
  decided,
  now,
  podOf,
  seenOf,
  silent,
} from '../../test/clustered-cache/seen.ts';
import { preTerminateHook } from './names.ts';
import { heldPodsAfter } from './held-pods.ts';
import { decideClusteredCache } from './decide.ts';
import type { CacheObservation } from './observe.ts';

const before = cacheOf();
const hook = { finalizers: [preTerminateHook] };
/** Deleted ten seconds ago, and with twenty more to end. */
const dying = { deletionTimestamp: new Date(now + 20_000).toISOString(), deletionGracePeriodSeconds: 30 };
const hold = { pod: 'sessions-2', podUID: 'pod-2' };

/** A cache whose member with the highest ordinal is held, at a step. */
const at = (step: string, change: { held?: object[]; metadata?: object; spec?: object } = {}): ClusteredCache =>
  cacheOf(
    { image: 'cache:2', ...change.spec },
    {
      ...(change.metadata ? { metadata: change.metadata } : {}),
      status: {
        upgrade: { revision: 'new', startedAt: created, since: created, step, held: change.held ?? [hold] },
      },
    },
  );

/** What is seen of it: the member as it is given, or none. */
const seeing = (cache: ClusteredCache, ...last: Pod[]): CacheObservation =>
  seenOf(cache, before, { pods: [podOf(0, before), podOf(1, before), ...last] });

const reported = (seen: CacheObservation): readonly string[] => heldPodsAfter(seen, []).bypasses;

describe('what others did to a member that is held', () => {
  const steps = [
    'HandingOff',
    'AwaitingGate',
    'Paused',
    'AwaitingSync',
    'AwaitingReady',
    'AwaitingReplacement',
    'Starting',
  ];

  test.each(steps)('is reported at the step %s', (step) => {
    const cache = at(step);
    expect(reported(seeing(cache, podOf(2, before)))).toEqual(['the finalizer of sessions-2 was taken off']);
    expect(reported(seeing(cache))).toEqual(['sessions-2 was gone before its gates were open']);
    expect(reported(seeing(cache, podOf(2, before, { metadata: { ...hook, ...dying } })))).toEqual([
      'sessions-2 was deleted before its gates were open',
    ]);
    expect(reported(seeing(cache, podOf(2, before, { metadata: hook })))).toEqual([]);
  });

  test('is reported once, and so is one of a member that is being deleted', () => {
    const terminating = podOf(2, before, { metadata: { ...hook, ...dying } });
    expect(heldPodsAfter(seeing(at('Paused'), terminating), []).held).toEqual([{ ...hold, deleting: true }]);
    const beingDeleted = at('AwaitingTermination', { held: [{ ...hold, deleting: true }] });
    expect(reported(seeing(beingDeleted, terminating))).toEqual([]);
    expect(reported(seeing(beingDeleted))).toEqual(['sessions-2 was gone before its gates were open']);
    expect(heldPodsAfter(seeing(beingDeleted), []).held).toEqual([]);
  });

  test('is reported with a paused upgrade, by a condition and an event', () => {
    const seen = seeing(at('Paused', { spec: { upgrade: { paused: true } } }), podOf(2, before));
    const { status, events } = decided(seen);
    expect(conditionText(status, 'GateBypassed')).toBe('True GateBypassed');
    expect(events).toContain('GateBypassed');
    expect(status?.upgrade?.held).toBeUndefined();
  });

  test('is reported of a cache that is paused itself, or is not valid', () => {
    const paused = at('Paused', { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } });
    expect(decided(seeing(paused)).events).toEqual(['GateBypassed']);
    expect(decided(seeing(at('Paused', { spec: { image: 'not an image' } }))).events).toContain('GateBypassed');
  });

  test('is looked at once more before it is reported', () => {
    const old = {
      ...seeing(at('Paused', { spec: { upgrade: { paused: true } } }), podOf(2, before)),
      isConfirmed: false,
    };
    expect(decideClusteredCache(old, silent)).toEqual({ confirm: true });
  });
});

describe('what is no bypass', () => {
  const terminating = (change: { metadata?: object; ready?: boolean } = {}): Pod =>
    podOf(2, before, { ...change, metadata: { ...hook, ...dying, ...change.metadata } });

  test.each<[string, CacheObservation]>([
    ['a finalizer that is about to be added', seeing(at('Holding', { held: [] }), podOf(2, before))],
    [
      'a deletion that the webhook let through',
      seeing(
        at('AwaitingGate', { metadata: { annotations: { [reservationAnnotation]: `pod-2 ${created}` } } }),
        terminating(),
      ),
    ],
    [
      'a deletion after its gates were opened by hand',
      seeing(at('AwaitingGate', { metadata: { annotations: { 'ordinal.dev/open-gates': 'pod-2' } } }), terminating()),
    ],
    ['one that did not serve', seeing(at('AwaitingGate'), terminating({ ready: false }))],
    [
      'one that its StatefulSet keeps no more',
      {
        ...seeing(at('AwaitingGate', { spec: { replicas: 2 } }), terminating()),
        children: childrenOf(cacheOf({ replicas: 2 })),
      },
    ],
    [
      'one whose StatefulSet goes',
      { ...seeing(at('AwaitingGate'), terminating()), children: { ...seenOf(before).children, set: undefined } },
    ],
    ['one that the operator deletes', seeing(at('TakingDown', { held: [{ ...hold, deleting: true }] }), terminating())],
  ])('%s', (_what, seen) => {
    expect(reported(seen)).toEqual([]);
  });

  test.each([
    ['DeletionByTaintManager', 0],
    ['DeletionByPodGC', 0],
    ['EvictionByEvictionAPI', 1],
  ])('one that was lost with its node: %s', (reason, bypasses) => {
    const pod = terminating();
    const conditions = [...(pod.status?.conditions ?? []), { type: 'DisruptionTarget', status: 'True', reason }];
    const lost = { ...pod, status: { ...pod.status, conditions } } as Pod; // With all that is read of it.
    expect(reported(seeing(at('AwaitingGate'), lost))).toHaveLength(bypasses);
  });
});

describe('who is held', () => {
  const member = podOf(2, before, { metadata: hook });

  test('is recorded when the API server says so', () => {
    const seen = seeing(at('AwaitingGate', { held: [] }), member);
    expect(heldPodsAfter(seen, [])).toEqual({ held: [hold], bypasses: [], needsConfirmation: true });
    expect(heldPodsAfter(seeing(at('AwaitingGate'), member), []).needsConfirmation).toBe(false);
  });

  test('is looked at once more before anybody is said to be about to be held', () => {
    const cache = at('AwaitingReplacement', { held: [] });
    const children = childrenOf(cache);
    const old = { ...seeing(cache, podOf(2, before)), children, isConfirmed: false };
    expect(decideClusteredCache(old, silent)).toEqual({ confirm: true });
    expect(decided({ ...old, isConfirmed: true }).status?.upgrade?.step).toBe('Holding');
    const dead = podOf(2, before, { metadata: { ...hook, ...dying } });
    const { status, events } = decided({ ...seeing(cache, dead), children });
    expect(status?.upgrade?.step).toBe('AwaitingReplacement');
    expect(events).not.toContain('GateBypassed');
  });

  test('is reported where the member is deleted before it was recorded', () => {
    const cache = at('Holding', { held: [] });
    const holding = { ...cache, status: { upgrade: { ...cache.status?.upgrade, ...hold } } } as ClusteredCache; // As it was read.
    const dead = podOf(2, before, { metadata: { ...hook, ...dying } });
    expect(reported(seeing(holding, dead))).toEqual(['sessions-2 was deleted before its gates were open']);
  });

  test('leaves out a member that this decision releases', () => {
    const cache = at('AwaitingTermination', { held: [{ ...hold, deleting: true }] });
    const dead = podOf(2, before, { metadata: { ...hook, ...dying } });
    const { status, actions } = decided({ ...seeing(cache, dead), children: childrenOf(cache) });
    expect(actions).toContain('remove finalizer cache.my.domain/pre-terminate-hook from Pod shop/sessions-2');
    expect(status?.upgrade?.held).toBeUndefined();
  });
});
