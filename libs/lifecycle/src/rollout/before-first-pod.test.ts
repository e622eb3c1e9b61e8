import { describe, expect, test } from 'vitest';
import { all, b, broken, c, current, ended, member, now, reported, seen, started } from '../../test/rollout/seen.ts';
import type { RolloutObservation, TaskStep } from '../index.ts';
import { byDeletion, decideRollout, hookSubject, isHookChanged, progressAfter } from '../index.ts';

const hookIn = (state: TaskStep['state'], rest: Partial<TaskStep> = {}): TaskStep => ({
  state,
  record: { purpose: 'BeforeUpgrade', subject: 'new@then', job: 'migrate', message: 'no such table' },
  actions: [],
  ...rest,
});
const waits = 'the Job migrate has to succeed before the first member is replaced';
const outcomeOf = (observation: RolloutObservation) => {
  const verdict = decideRollout(observation, now, byDeletion);
  return 'outcome' in verdict ? verdict.outcome : undefined;
};

describe('the Job before the first member', () => {
  test.each<[string, RolloutObservation, string]>([
    ['holds every member while it runs', seen(all(), { hook: hookIn('Running') }), `BeforeFirstPod -, ${waits}`],
    [
      'also one that is outdated and broken',
      seen([member(0, broken), b, c], { hook: hookIn('Running') }),
      `BeforeFirstPod -, ${waits}`,
    ],
    ['and after its success until that is on record', seen(all(), { hook: hookIn('Succeeded') }), 'BeforeFirstPod -'],
    ['is not there any more then', seen(all()), 'Holding cache-2, add hold cache-2'],
    [
      'does not keep a member that has ended',
      seen([member(0, broken), member(1, broken), member(2, ended)], { hook: hookIn('Running') }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    ['does not begin while the upgrade is paused', seen(all(), { hook: hookIn('Running'), paused: true }), 'Paused -'],
    ['is not waited for where none is outdated', seen(all(current), { hook: hookIn('Running') }), 'settled'],
    [
      'fails the upgrade, and held members go free',
      seen([member(0), b, member(2, { held: true })], { hook: hookIn('Failed') }),
      'Failed -, remove hold cache-2',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('is recorded with the step, and looked at again at once when it has succeeded', () => {
    const [running, done] = [hookIn('Running', { blockedBy: 'no node takes it' }), hookIn('Succeeded')];
    expect(outcomeOf(seen(all(), { hook: running }))).toMatchObject({
      tasks: [running],
      blockedBy: `${waits}: no node takes it`,
    });
    expect(outcomeOf(seen(all(), { hook: done }))).toMatchObject({ tasks: [done], lookAgainAt: now });
  });

  test('is why the upgrade has failed, with its last words', () => {
    const failure = { reason: 'HookFailed', message: 'the Job migrate failed: no such table' };
    expect(outcomeOf(seen(all(), { hook: hookIn('Failed') }))).toMatchObject({
      failed: failure,
      message: failure.message,
      tasks: [hookIn('Failed')],
      events: [{ type: 'Warning', reason: 'UpgradeFailed', note: failure.message }],
    });
  });

  test('that is another one by now, or none, has the upgrade tried again where it was the reason', () => {
    const record = { ...hookIn('Failed').record, result: 'Failed', definition: 'a' } as const;
    const { definition: _definition, ...unknown } = record;
    const changed = (reason: string, definition: string | undefined, of = record) =>
      isHookChanged({ reason, record: of }, definition);
    expect([changed('HookFailed', 'b'), changed('HookFailed', undefined)]).toEqual([true, true]);
    expect([changed('HookFailed', 'a'), changed('AnalysisFailed', 'b')]).toEqual([false, false]);
    expect(isHookChanged({ reason: 'HookFailed', record: unknown }, 'b')).toBe(false);
    expect(isHookChanged({ reason: 'HookFailed', record: { ...record, result: 'Succeeded' } }, 'b')).toBe(false);
  });

  test('is another one for each attempt', () => {
    expect(hookSubject('new', 'today')).not.toBe(hookSubject('new', 'tomorrow'));
  });

  test('does not take the time of the first member: the deadline counts from its end, once', () => {
    const progress = { ...started, lastProgressAt: now - 600_000, step: 'BeforeFirstPod' } as const;
    const hook = hookIn('Succeeded');
    expect(progressAfter(seen(all(), { progress }), { step: 'Starting' }, now)).toBe(now);
    expect(progressAfter(seen(all(), { progress, hook }), { step: 'BeforeFirstPod' }, now)).toBe(now - 600_000);
    expect(progressAfter(seen(all(), { progress }), { step: 'Failed' }, now)).toBe(now - 600_000);
    expect(progressAfter(seen(all(), { progress: { ...progress, step: 'Starting' } }), { step: 'Holding' }, now)).toBe(
      now - 600_000,
    );
  });
});
