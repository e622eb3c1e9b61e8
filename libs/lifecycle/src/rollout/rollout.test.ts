import { describe, expect, test } from 'vitest';
import type { Member, RolloutAnswer, RolloutObservation } from './index.ts';
import { checkIntervalMs, failureIntervalMs, gateIntervalMs } from './ask-again.ts';
import { byDeletion, decideRollout, questionKey } from './index.ts';
import { brokenAfterMs } from './transit.ts';
import {
  now,
  member,
  started,
  seen,
  reported,
  all,
  current,
  held,
  ended,
  broken,
  yes,
  no,
  gates,
  can,
  a,
  b,
  c,
} from '../../test/rollout/seen.ts';

test.each<[string, RolloutObservation, string]>([
  ['all are outdated', seen([a, b, c]), 'Holding cache-2, add hold cache-2'],
  ['the next is held and there are no gates', seen([a, b, member(2, held)]), 'TakingDown cache-2, delete cache-2'],
  ['a held member has ended', seen([a, b, member(2, ended)]), 'AwaitingReplacement cache-2, remove hold cache-2'],
  ['a member ends that is not held', seen([a, b, member(2, { terminating: true })]), 'AwaitingReplacement cache-2'],
  ['a replacement is missing', seen([a, b]), 'AwaitingReplacement -'],
  ['a replacement is not ready', seen([a, b, member(2, { ...current, ready: false })]), 'AwaitingReady cache-2'],
  ['a replacement is ready', seen([a, b, member(2, current)]), 'Holding cache-1, add hold cache-1'],
  ['all are current', seen(all(current)), 'settled'],
  [
    'a current member is still held',
    seen([...all(current).slice(0, 2), member(2, { ...current, ...held })]),
    'settled, remove finalizer example.com/pre-terminate-hook from Pod shop/cache-2',
  ],
  ['the set does not know yet what to create', seen([a, b, member(2, held)], { setIsCurrent: false }), 'Starting -'],
  ['the upgrade is paused', seen([a, b, member(2, held)], { paused: true }), 'Paused -'],
  ['a replacement is missing while it is paused', seen([a, b], { paused: true }), 'AwaitingReplacement -'],
])('when %s', (_when, observation, expected) => {
  expect(reported(observation)).toBe(expected);
});

describe('a member that is outdated and does not work', () => {
  test.each<[string, RolloutObservation, string]>([
    [
      'is replaced first, and no member is asked',
      seen([a, member(1, broken), c], { gates, answer: no }),
      'AwaitingReplacement cache-1, delete cache-1',
    ],
    [
      'is replaced although its replacement’s peer does not work either',
      seen([a, member(1, broken), member(2, { ...broken, revision: 'bad' })]),
      'AwaitingReplacement cache-1, delete cache-1',
    ],
    ['is not yet taken for broken', seen([a, member(1, { ready: false, since: now }), c]), 'AwaitingReady cache-1'],
    ['is left alone while another one is missing', seen([a, member(1, broken)]), 'AwaitingReplacement -'],
    ['is left alone when it is current', seen([a, b, member(2, { ...broken, ...current })]), 'AwaitingReady cache-2'],
    [
      'is left alone while the upgrade is paused',
      seen([a, member(1, broken), c], { paused: true }),
      'AwaitingReady cache-1',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test.each<[string, Partial<Member>, string]>([
    ['a little later, by another clock, is not yet taken for broken', { since: now + 2000 }, 'AwaitingReady cache-1'],
    [
      'in a future that only a wrong clock explains is replaced',
      { since: now + 3_600_000 },
      'AwaitingReplacement cache-1, delete cache-1',
    ],
  ])('%s', (_when, change, expected) => {
    expect(reported(seen([a, member(1, { ready: false, ...change }), c]))).toBe(expected);
  });

  test('is replaced at once where it is of the revision that a rollback undoes', () => {
    const fresh = member(1, { ready: false, since: now, revision: 'bad' });
    expect(reported(seen([a, fresh, c], { failedRevision: 'bad' }))).toBe(
      'AwaitingReplacement cache-1, delete cache-1',
    );
  });

  test('is replaced before half of the time is over', () => {
    const young = member(1, { ready: false, since: now - 10_000 });
    expect(reported(seen([a, young, c], { deadlineMs: 20_000 }))).toBe('AwaitingReplacement cache-1, delete cache-1');
  });

  test('is looked at again when it will count as broken', () => {
    const verdict = decideRollout(seen([a, member(1, { ready: false, since: now - 10_000 }), c]), now, byDeletion);
    expect(verdict).toMatchObject({ outcome: { lookAgainAt: now - 10_000 + brokenAfterMs } });
  });
});

describe('the gates', () => {
  const ready = [a, b, member(2, held)];
  test.each<[string, RolloutObservation, string]>([
    ['are asked of the peers', seen(ready, { gates }), 'ask gate cache-0, gate cache-1'],
    ['are asked of the member itself', seen(ready, { gates: [{ name: 'x', target: 'Self' }] }), 'ask gate cache-2'],
    [
      'are asked of all',
      seen(ready, { gates: [{ name: 'x', target: 'All' }] }),
      'ask gate cache-2, gate cache-0, gate cache-1',
    ],
    ['are asked once', seen(ready, { gates: [{ name: 'x', target: 'Once' }] }), 'ask gate cache-2'],
    ['hold it up while closed', seen(ready, { gates, answer: no }), 'AwaitingGate cache-2, gate lag: cache-0: not yet'],
    ['may be deleted when open', seen(ready, { gates, answer: yes }), 'TakingDown cache-2, delete cache-2'],
    [
      'can be opened by hand for this pod',
      seen(ready, { gates, answer: no, openedFor: ['uid-2'] }),
      'TakingDown cache-2, delete cache-2',
    ],
    [
      'can be opened by hand for several pods',
      seen(ready, { gates, answer: no, openedFor: ['uid-0', 'uid-2'] }),
      'TakingDown cache-2, delete cache-2',
    ],
    [
      'stay closed when opened for an earlier pod',
      seen(ready, { gates, answer: no, openedFor: ['uid-9'] }),
      'AwaitingGate cache-2, gate lag: cache-0: not yet',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('are asked again after a while, and the deadline is never slept over', () => {
    const at = (lastProgressAt: number) =>
      decideRollout(seen(ready, { gates, answer: no, progress: { ...started, lastProgressAt } }), now, byDeletion);
    expect(at(now)).toMatchObject({ outcome: { lookAgainAt: now + 1000, release: 'gate' } });
    expect(at(now - 899_000)).toMatchObject({ outcome: { lookAgainAt: now + 1000 } });
  });

  test('are asked again after one second, more seldom where a Job answers, and more seldom still where no pod does', () => {
    const asked = (since: number, answer = no, askAgain = {}) => {
      const waiting = { step: 'AwaitingGate', podUID: 'uid-2', since } as const;
      const verdict = decideRollout(seen(ready, { gates, answer, waiting, ...askAgain }), now, byDeletion);
      return 'outcome' in verdict ? (verdict.outcome.lookAgainAt ?? 0) - now : undefined;
    };
    const silent = (): RolloutAnswer => ({ ...no(), silent: true });
    expect([0, 1000, 3000, 900_000].map((ago) => asked(now - ago))).toEqual([1000, 1000, 1000, gateIntervalMs]);
    const ofJob = (): RolloutAnswer => ({ ...no(), job: 'pending' });
    expect([0, 1000, 3000, 7000, 900_000].map((ago) => asked(now - ago, ofJob))).toEqual([
      1000,
      2000,
      4000,
      8000,
      checkIntervalMs,
    ]);
    expect(asked(now - 900_000, silent)).toBe(failureIntervalMs);
    const askAgain = { maxMs: 5000, maxAtGateMs: 3000, maxAfterFailureMs: 60_000 };
    expect(asked(now - 900_000, no, { askAgain })).toBe(3000);
    expect(asked(now - 900_000, ofJob, { askAgain })).toBe(5000);
    expect(asked(now - 900_000, silent, { askAgain })).toBe(60_000);
  });

  test('begin with short pauses for each member', () => {
    const waiting = { step: 'AwaitingGate', podUID: 'uid-1', since: now - 900_000 } as const;
    const verdict = decideRollout(seen(ready, { gates, answer: no, waiting }), now, byDeletion);
    expect(verdict).toMatchObject({ outcome: { lookAgainAt: now + 1000 } });
  });
});

describe('the hand-off', () => {
  const handing = { can: { ...can, handoff: true } };
  const ready = [a, b, member(2, held)];
  test('is tried again ever more seldom, since clients may wait while it is tried', () => {
    const waiting = { step: 'HandingOff', podUID: 'uid-2', since: now - 900_000 } as const;
    const verdict = decideRollout(seen(ready, { ...handing, answer: no, waiting }), now, byDeletion);
    expect(verdict).toMatchObject({ outcome: { lookAgainAt: now + checkIntervalMs } });
  });

  test.each<[string, RolloutObservation, string]>([
    ['comes before the gates', seen(ready, { ...handing, gates }), 'ask handoff cache-2'],
    [
      'is recorded before anything follows from it',
      seen(ready, { ...handing, gates, answer: yes }),
      'HandingOff cache-2',
    ],
    [
      'holds it up while it fails',
      seen(ready, { ...handing, answer: no }),
      'HandingOff cache-2, handoff: cache-2: not yet',
    ],
    [
      'is not done twice',
      seen(ready, { ...handing, gates, progress: started, handedOff: 'uid-2' }),
      'ask gate cache-0, gate cache-1',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  const done = (role: RolloutAnswer, handoff?: RolloutAnswer): RolloutObservation =>
    seen(ready, {
      can: { ...can, handoff: true, role: true },
      handedOff: 'uid-2',
      answer: ({ about }) => (about === 'role' ? role : handoff),
    });
  test.each<[string, RolloutObservation, string]>([
    ['is done again', done(yes()), 'ask handoff cache-2'],
    ['is recorded again, and what holds it up is said', done(yes(), yes()), 'HandingOff cache-2, role: cache-2: yes'],
    ['is not taken for done', done({ ...no(), unknown: true }), 'HandingOff cache-2, role: cache-2: not yet'],
  ])('%s where whoever took over was lost, and the member leads again, or may', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test.each<[string, RolloutObservation['answer'], string]>([
    ['is enough when another one leads', ({ of }) => (of.ordinal === 0 ? yes() : no()), 'TakingDown cache-2, delete cache-2'], // prettier-ignore
    ['is not while no member leads', no, 'HandingOff cache-2, role: cache-0: not yet'],
    ['is not while no member can say which one leads', ({ of }) => ({ ...no(), unknown: of.ordinal === 1 }), 'HandingOff cache-2, role: cache-1: not yet'], // prettier-ignore
  ])('%s', (_when, answer, expected) => {
    expect(reported({ ...done(no()), answer })).toBe(expected);
  });
});

describe('leader last', () => {
  const silent = () => ({ ok: false, unknown: true, message: 'no answer' });
  const leading = (ordinal: number, change: Partial<RolloutObservation> = {}) => ({
    order: 'LeaderLast' as const,
    can: { ...can, role: true },
    answer: (question: Parameters<RolloutObservation['answer']>[0]) => ({
      ok: question.of.ordinal === ordinal,
      message: '',
    }),
    ...change,
  });
  test.each<[string, RolloutObservation, string]>([
    [
      'asks who leads',
      seen([a, b, c], leading(2, { answer: () => undefined })),
      'ask role cache-2, role cache-1, role cache-0',
    ],
    ['takes the highest follower', seen([a, b, c], leading(2)), 'Holding cache-1, add hold cache-1'],
    [
      'takes the leader when it is the only one left',
      seen([a, member(1, current), member(2, current)], leading(0)),
      'Holding cache-0, add hold cache-0',
    ],
    [
      'lets the one go that leads now, and takes another',
      seen([a, b, member(2, held)], leading(2)),
      'Holding cache-1, remove hold cache-2, add hold cache-1',
    ],
    [
      'waits where no pod answers',
      seen([a, b, c], leading(0, { answer: silent })),
      'AwaitingGate cache-2, role: cache-2: no answer',
    ],
    [
      'takes the one whose gates a user has opened where no pod answers',
      seen([a, b, c], leading(0, { answer: silent, openedFor: ['uid-1'] })),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'takes no other than that',
      seen([a, b, c], leading(0, { answer: silent, openedFor: ['uid-9'] })),
      'AwaitingGate cache-2, role: cache-2: no answer',
    ],
    [
      'takes a follower first where one is known',
      seen([a, b, c], leading(2, { openedFor: ['uid-2'] })),
      'Holding cache-1, add hold cache-1',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('a leader goes down only when a peer has its data (I5)', () => {
    const both = { ...can, role: true, sync: true };
    const leads = (synced: boolean) => (question: Parameters<RolloutObservation['answer']>[0]) =>
      question.about === 'role' ? { ok: question.of.ordinal === 0, message: '' } : { ok: synced, message: 'behind' };
    const last = [member(0, held), member(1, current), member(2, current)];
    expect(reported(seen(last, { can: both, answer: leads(false) }))).toBe(
      'AwaitingGate cache-0, sync: cache-1: behind',
    );
    expect(reported(seen(last, { can: both, answer: leads(true) }))).toBe('TakingDown cache-0, delete cache-0');
  });
});

test('a follower goes down only when a peer has its data, while no member leads (I5)', () => {
  const can = { role: true, sync: true, handoff: false };
  const answered = (leader: number, synced: number) => (question: Parameters<RolloutObservation['answer']>[0]) => ({
    ok: question.of.ordinal === (question.about === 'role' ? leader : synced),
    message: 'no',
  });
  const members = [a, b, member(2, held)];
  expect(reported(seen(members, { can, answer: answered(-1, -1) }))).toBe('AwaitingGate cache-2, sync: cache-0: no');
  expect(reported(seen(members, { can, answer: answered(-1, 1) }))).toBe('TakingDown cache-2, delete cache-2');
  expect(reported(seen(members, { can, answer: answered(1, -1) }))).toBe('TakingDown cache-2, delete cache-2');
});

describe('a set that shrinks', () => {
  const shrinking = { wantedReplicas: 2, revision: 'old' };
  test.each<[string, RolloutObservation, string]>([
    ['asks the gates of the highest', seen([a, b, c], { ...shrinking, gates }), 'ask gate cache-0, gate cache-1'],
    [
      'waits while they are closed',
      seen([a, b, c], { ...shrinking, gates, answer: no }),
      'AwaitingGate cache-2, gate lag: cache-0: not yet',
    ],
    [
      'loses one member at a time',
      seen([a, b, c], { ...shrinking, wantedReplicas: 1 }),
      'TakingDown cache-2, replicas 2',
    ],
    [
      'waits until it has gone',
      seen([a, b, c], { ...shrinking, replicas: 2, wantedReplicas: 1 }),
      'AwaitingReplacement cache-2',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  const idle = { ...broken, revision: 'old' };
  const fresh = { ready: false, since: now };
  const toOne = { ...shrinking, wantedReplicas: 1, gates, answer: no };
  test.each<[string, RolloutObservation, string]>([
    ['that is not there', seen([a, b], { ...shrinking, gates, answer: no }), 'TakingDown -, replicas 2'],
    ['that has not served for long', seen([a, b, member(2, idle)], { ...shrinking, gates, answer: no }), 'TakingDown cache-2, replicas 2'], // prettier-ignore
    ['but not one that got unready just now', seen([a, b, member(2, fresh)], { ...shrinking, gates, answer: no }), 'AwaitingReady cache-2'], // prettier-ignore
    ['but not while one that stays does not serve', seen([a, member(1, idle), member(2, idle)], shrinking), 'AwaitingReady cache-1'], // prettier-ignore
    ['but not while one that stays is away', seen([a, member(2, idle)], shrinking), 'AwaitingReplacement -'],
    ['but not one that the set is about to take up', seen([a, b], { ...shrinking, unclaimed: [2] }), 'AwaitingReplacement -'], // prettier-ignore
  ])('takes a member unasked %s', (_who, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test.each<[string, Member[]]>([
    ['is not there', [a, c]],
    ['does not serve', [a, member(1, idle), c]],
  ])('asks the highest although another one that is to leave %s', (_what, members) => {
    expect(reported(seen(members, toOne))).toBe('AwaitingGate cache-2, gate lag: cache-0: not yet');
    expect(reported(seen(members, { ...toOne, answer: yes }))).toBe('TakingDown cache-2, replicas 2');
  });

  test('looks again when one that is to leave will not have served for long', () => {
    const verdict = decideRollout(seen([a, b, member(2, fresh)], shrinking), now, byDeletion);
    expect(verdict).toMatchObject({ outcome: { lookAgainAt: now + brokenAfterMs } });
  });
});

test('two questions are the same when they ask the same of the same pod', () => {
  expect(questionKey({ about: 'gate', gate: 'x', of: a, candidate: c })).not.toBe(
    questionKey({ about: 'gate', gate: 'x', of: a, candidate: b }),
  );
  expect(questionKey({ about: 'role', of: a })).toBe(
    questionKey({ about: 'role', of: { ...a, resourceVersion: '9' } }),
  );
});

test('a member is deleted only as it was seen (I9)', () => {
  const verdict = decideRollout(seen([a, b, member(2, { ...held, resourceVersion: '42' })]), now, byDeletion);
  const actions = 'outcome' in verdict ? verdict.outcome.actions : [];
  expect(actions).toMatchObject([{ kind: 'delete', target: { uid: 'uid-2' }, resourceVersion: '42' }]);
});
