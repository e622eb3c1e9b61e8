import { describe, expect, test } from 'vitest';
import type { Progress, RolloutObservation } from './index.ts';
import { byDeletion, decideRollout, progressAfter } from './index.ts';
import {
  now,
  member,
  started,
  seen,
  idling,
  reported,
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
    lastProgressAt: now - 900_000,
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
    expect(reported(observation)).toBe(expected);
  });

  test('says what was being waited for', () => {
    expect(decideRollout(seen([a, b, member(2, held)], { progress: late }), now, byDeletion)).toMatchObject({
      outcome: {
        message: 'Timed out waiting for health checks on pod cache-2: no member has come back for 15 minutes',
        events: [{ reason: 'UpgradeFailed' }],
      },
    });
  });

  test('counts from the last member that has come back, however long ago the upgrade began', () => {
    const progress = { ...late, startedAt: now - 3_600_000, lastProgressAt: now - 899_000 };
    expect(reported(seen([a, b, member(2, held)], { progress }))).not.toContain('Failed');
  });

  test('is not for a set that is not being upgraded (I20)', () => {
    const idle = idling([a, b, member(2, { ready: false })], { revision: 'old' });
    expect(reported(idle)).toBe('AwaitingReady cache-2');
  });
});

describe('the deadline of an upgrade that a user has paused', () => {
  const late: Progress = { ...started, lastProgressAt: now - 3_600_000, since: now - 3_600_000, step: 'AwaitingReady' };
  const away = [a, b, member(2, { ...current, ready: false, since: now - 10_000 })];
  const suspended = { ...late, isSuspended: true };

  test.each<[string, RolloutObservation, string]>([
    ['does not count before its next member', seen([a, b, c], { progress: late, paused: true }), 'Paused -'],
    ['nor while one is away', seen(away, { progress: late, paused: true }), 'AwaitingReady cache-2'],
    ['nor in the look in which the pause is over', seen(away, { progress: suspended }), 'AwaitingReady cache-2'],
    ['counts where all run what is wanted', seen([...all(current).slice(0, 2), { ...away[2]!, ...current }], { progress: late, paused: true }), 'Failed -'], // prettier-ignore
    ['counts where all that are there run it, and one comes and goes', seen(all(current).slice(0, 2), { progress: late, paused: true }), 'Failed -'], // prettier-ignore
    ['counts for a member that has ended and is held', seen([a, b, member(2, ended)], { progress: late, paused: true }), 'Failed -, remove hold cache-2'], // prettier-ignore
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('is not looked at again', () => {
    const verdict = decideRollout(seen(away, { progress: { ...late, lastProgressAt: now }, paused: true }), now, byDeletion); // prettier-ignore
    expect('outcome' in verdict && verdict.outcome.lookAgainAt).toBeUndefined();
  });

  test('begins again when the pause is over', () => {
    const step = { step: 'AwaitingReady' } as const;
    expect(progressAfter(seen(away, { progress: suspended, paused: true }), step, now)).toBe(late.lastProgressAt);
    expect(progressAfter(seen(away, { progress: suspended }), step, now)).toBe(now);
  });
});
