import { describe, expect, test } from 'vitest';
import { all, broken, current, gates, idling, member, no, now, seen, yes } from '../../test/rollout/seen.ts';
import { firstInTurn, goDown, scaleDown } from './go-down.ts';
import type { Member } from './member.ts';
import type { RolloutObservation } from './observation.ts';

/** The step for the highest of these members, what keeps it, and what is asked. */
function stepOf(members: readonly Member[], change: Partial<RolloutObservation> = {}): string {
  const candidate = members[2] ?? member(2);
  const verdict = goDown(candidate, seen([...members], change), now);
  if ('ask' in verdict) return `ask ${verdict.ask.map(({ about, of }) => `${about} ${of.name}`).join(', ')}`;
  const { step, blockedBy, release } = verdict.outcome;
  return [step, ...(blockedBy === undefined ? [] : [blockedBy]), ...(release === undefined ? [] : [release])].join(
    '; ',
  );
}

const [a, b, c] = all();

describe('a member that serves', () => {
  test('goes down when every other one is there, and its gates are open', () => {
    expect(stepOf([a, b, c], { gates })).toBe('ask gate cache-0, gate cache-1');
    expect(stepOf([a, b, c], { gates, answer: yes })).toBe('TakingDown');
    expect(stepOf([a, b, c], { gates, answer: no })).toBe('AwaitingGate; gate lag: cache-0: not yet; gate');
  });

  test('waits for one that is away, ends, or does not serve, and for one that was released before it (I8)', () => {
    expect(stepOf([member(1), member(0), c].slice(1), { answer: yes })).toMatch(/^AwaitingReplacement/);
    expect(stepOf([a, member(1, { terminating: true, ready: false }), c])).toMatch(/^AwaitingReplacement/);
    expect(stepOf([a, member(1, { ...current, ready: false, since: now }), c])).toBe('AwaitingReady');
    expect(stepOf([a, b, c], { reserved: b.uid })).toBe('AwaitingReplacement');
  });

  test('waits until every one has been ready for as long as the set asks for, also where no upgrade is on record', () => {
    const young = member(1, { ...current, since: now - 1_000 });
    for (const observed of [seen, idling]) {
      const verdict = goDown(c, observed([a, young, c], { gates, answer: yes, minReadyMs: 60_000 }), now);
      const outcome = { step: 'AwaitingReady', member: young, lookAgainAt: now + 59_000 };
      expect(verdict).toMatchObject({ outcome });
    }
    expect(stepOf([a, member(1, current), c], { gates, answer: yes, minReadyMs: 60_000 })).toBe('TakingDown');
  });

  test('waits for a replacement that has not caught up (I5)', () => {
    const can = { role: false, sync: true, handoff: false };
    const catchingUp = [{ ordinal: 1, podUID: 'gone' }];
    const members = [a, member(1, current), c];
    expect(stepOf(members, { can, catchingUp, answer: no })).toBe('AwaitingSync; sync: cache-1: not yet');
    expect(stepOf(members, { can, catchingUp, answer: yes })).toBe('TakingDown');
  });

  test('hands over before its gates are asked', () => {
    const can = { role: false, sync: false, handoff: true };
    expect(stepOf([a, b, c], { can, gates, answer: yes })).toBe('HandingOff');
    expect(stepOf([a, b, c], { can, gates, handedOff: c.uid, answer: no })).toMatch(/^AwaitingGate/);
  });

  test('waits for a broken one that only its own turn repairs, until a user opens its gates (I1)', () => {
    const members = [member(0, broken), b, c];
    expect(stepOf(members, { answer: yes })).toBe('AwaitingReady; gate');
    expect(stepOf(members, { answer: yes, openedFor: [c.uid] })).toBe('TakingDown');
  });
});

test('a member that has not served for long goes down without a question (I1)', () => {
  expect(stepOf([a, b, member(2, broken)], { gates, answer: no })).toBe('TakingDown');
  expect(stepOf([a, b, member(2, { ready: false, since: now })], { gates, answer: no })).toBe('AwaitingReady');
});

describe('the highest member of a set that is to become smaller', () => {
  const leave = (members: readonly Member[], change: Partial<RolloutObservation> = {}) => {
    const verdict = scaleDown(seen([...members], { revision: 'old', wantedReplicas: 2, ...change }), now);
    return verdict && 'outcome' in verdict ? verdict.outcome.step : verdict;
  };

  test('leaves through its gates', () => {
    expect(leave([a, b, c], { gates, answer: no })).toBe('AwaitingGate');
    expect(leave([a, b, c], { gates, answer: yes })).toBe('TakingDown');
    expect(leave([a, b, c], { wantedReplicas: 3 })).toBeUndefined();
  });

  test('leaves without a question when it does not serve, and all that stay do', () => {
    const last = member(2, broken);
    expect(leave([a, b, last], { gates, answer: no })).toBe('TakingDown');
    expect(leave([a, member(1, { ready: false, since: now }), last], { gates, answer: no })).toBe('AwaitingReady');
  });
});

test('a replacement that has not caught up comes first, and else the highest ordinal', () => {
  const can = { role: false, sync: true, handoff: false };
  const catchingUp = [{ ordinal: 1, podUID: 'gone' }];
  const turn = (change: Partial<RolloutObservation>) => {
    const first = firstInTurn([a, b, c], seen([a, b, c], { can, catchingUp, ...change }));
    return first && 'ask' in first ? first.ask.map(({ about, of }) => `${about} ${of.name}`) : first?.name;
  };
  expect(turn({})).toEqual(['sync cache-1']);
  expect(turn({ answer: no })).toBe('cache-1');
  expect(turn({ answer: yes })).toBe('cache-2');
  expect(firstInTurn([], seen([]))).toBeUndefined();
});
