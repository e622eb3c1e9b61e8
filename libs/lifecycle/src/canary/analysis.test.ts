import { expect, test } from 'vitest';
import { member, now } from '../../test/rollout/seen.ts';
import type { Judged, Judgement } from './index.ts';
import { analyse, bakedAt, judgementOf, namesUpgrade } from './index.ts';
import { withJudgement } from './judgement.ts';

const canary = member(2, { revision: 'new', since: now - 60_000 });
const judged = (rest: Partial<Judged> = {}): Judged => ({ judgements: undefined, failureThreshold: 2, ...rest });
const task = (state: 'Running' | 'Succeeded' | 'Failed') =>
  ({ state, record: { purpose: 'Analysis', subject: 's', job: 'j', message: 'seen' }, actions: [] }) as const;

test('a canary that says yes has passed, and that is recorded before the next member goes', () => {
  const found = analyse(canary, judged({ answer: { ok: true, message: 'fine' } }), now);
  expect(judgementOf(found.analysed, canary)).toMatchObject({ result: 'Passed', message: 'fine' });
  expect(found).toMatchObject({ lookAgainAt: now, events: [{ reason: 'CanaryPassed' }] });
});

test('a canary has failed after as many noes in a row as are allowed, and silence is none of them', () => {
  const no = { ok: false, message: 'HTTP 500' };
  const first = analyse(canary, judged({ answer: no }), now);
  expect(first).toMatchObject({
    blockedBy: 'cache-2 answered 1 of 2 times with no: HTTP 500',
    lookAgainAt: now + 10_000,
  });
  expect(first.failed).toBeUndefined();
  const silent = analyse(canary, judged({ judgements: first.analysed, answer: { ...no, silent: true } }), now);
  expect(silent).toEqual({ blockedBy: 'cache-2: HTTP 500', lookAgainAt: now + 10_000 });
  const second = analyse(canary, judged({ judgements: first.analysed, answer: no }), now);
  expect(second.failed).toEqual({ reason: 'AnalysisFailed', message: 'the analysis of cache-2 failed: HTTP 500' });
  expect(judgementOf(second.analysed, canary)).toMatchObject({ result: 'Failed', failures: 2 });
});

test.each([
  ['Running', undefined, 'the analysis of cache-2 has not ended'],
  ['Succeeded', 'Passed', undefined],
  ['Failed', 'Failed', undefined],
] as const)('a Job that is %s judges its canary as %s', (state, result, blockedBy) => {
  const found = analyse(canary, judged({ task: task(state) }), now);
  expect(judgementOf(found.analysed, canary)?.result).toBe(result);
  expect(found.blockedBy).toBe(blockedBy);
  expect(found.failed !== undefined).toBe(state === 'Failed');
});

test('a judgement counts for the pod and the revision that were judged, and for no other (S0.9)', () => {
  const passed = withJudgement(undefined, canary, { result: 'Passed' }, now);
  expect(judgementOf(passed, canary)?.result).toBe('Passed');
  expect(judgementOf(passed, { ...canary, uid: 'another' })).toBeUndefined();
  expect(judgementOf(passed, { ...canary, revision: 'another' })).toBeUndefined();
  const again: readonly Judgement[] = withJudgement(passed, canary, { result: 'Failed' }, now);
  expect(again).toHaveLength(1);
});

test('a canary bakes from when it got ready or, where the clock was set back since, from when that was recorded', () => {
  const bakeMs = 300_000;
  expect(bakedAt(canary, { bakeMs }, now)).toBe(now + 240_000);
  const later = { since: now + 1 };
  expect(bakedAt(later, { bakeMs }, now)).toBe(now + bakeMs);
  expect(bakedAt(later, { bakeMs, recordedSince: new Date(now - 100_000).toISOString() }, now)).toBe(now + 200_000);
});

test('an annotation names an upgrade by its revision, or by a version that does not run yet', () => {
  const aim = { revision: 'abc', version: '2', runs: '1' };
  expect([undefined, 'abc', '2', '1'].map((value) => namesUpgrade(value, aim))).toEqual([false, true, true, false]);
  expect(namesUpgrade('2', { ...aim, runs: '2' })).toBe(false);
});
