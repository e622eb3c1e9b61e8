import { describe, expect, test } from 'vitest';
import type { Member, Progress, RolloutObservation } from './index.ts';
import { bypassOf, decideRollout } from './index.ts';
import {
  now,
  member,
  started,
  seen,
  idling,
  told,
  all,
  current,
  held,
  ended,
  broken,
  a,
  b,
  c,
} from '../../test/rollout/seen.ts';

describe('the deadline', () => {
  const late: Progress = {
    ...started,
    startedAt: now - 900_000,
    step: 'AwaitingGate',
    pod: 'cache-2',
    podUID: 'uid-2',
  };
  test.each<[string, RolloutObservation, string]>([
    [
      'comes before all else, and lets held members go',
      seen([a, member(1, broken), member(2, held)], { progress: late, setIsCurrent: false }),
      'Failed -, remove hold cache-2',
    ],
    ['does not matter when all is well', seen(all(current), { progress: late }), 'settled'],
    ['once passed stays passed', seen([a, b, c], { progress: { ...started, step: 'Failed' } }), 'Failed -'],
  ])('%s', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  test('says what was being waited for', () => {
    expect(decideRollout(seen([a, b, member(2, held)], { progress: late }), now)).toMatchObject({
      outcome: {
        message: 'Timed out waiting for health checks on pod cache-2: not finished 15 minutes after its start',
        events: [{ reason: 'UpgradeFailed' }],
      },
    });
  });

  test('is not for a set that is not being upgraded (I20)', () => {
    const idle = idling([a, b, member(2, { ready: false })], { revision: 'old' });
    expect(told(idle)).toBe('AwaitingReady cache-2');
  });
});

describe('what somebody else did to the member in our hands', () => {
  const at = (step: Progress['step']): Progress => ({ ...started, step, pod: 'cache-2', podUID: 'uid-2' });
  test.each<[string, Progress['step'], Member[], string | undefined]>([
    ['its finalizer was taken off', 'AwaitingGate', [a, b, c], 'the finalizer of cache-2 was taken off'],
    [
      'it was deleted before the gate',
      'AwaitingGate',
      [a, b, member(2, ended)],
      'cache-2 was deleted before its gates were open',
    ],
    ['it went by force', 'AwaitingTermination', [a, b], 'cache-2 went before its gates had let it go'],
    ['we deleted it', 'TakingDown', [a, b, member(2, ended)], undefined],
    ['we let it go', 'AwaitingReplacement', [a, b], undefined],
    ['we had not held it yet', 'Holding', [a, b, c], undefined],
  ])('%s', (_what, step, members, expected) => {
    expect(bypassOf(seen(members, { progress: at(step) }))).toBe(expected);
  });

  test('a member that leaves for good is not held, and is not missed', () => {
    expect(bypassOf(seen([a, b], { progress: at('TakingDown'), wantedReplicas: 2 }))).toBeUndefined();
  });
});
