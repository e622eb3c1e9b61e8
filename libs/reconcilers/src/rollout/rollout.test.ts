import { describe, expect, test } from 'vitest';
import { describeAction } from '../decision/index.ts';
import type { Awaited, Member, Progress, Question, RolloutAnswer, RolloutObservation } from './index.ts';
import {
  brokenAfterMs,
  bypassOf,
  catchingUpAfter,
  closedGates,
  decideRollout,
  gateIntervalMs,
  preTerminateHook,
  questionKey,
} from './index.ts';

const now = 1_000_000;
const member = (ordinal: number, change: Partial<Member> = {}): Member => {
  const held = change.held ?? false;
  return {
    namespace: 'shop',
    name: `cache-${ordinal}`,
    uid: `uid-${ordinal}`,
    resourceVersion: '1',
    finalizers: held ? [preTerminateHook] : [],
    ordinal,
    revision: 'old',
    ready: !change.terminating,
    since: 0,
    terminating: false,
    held,
    labels: {},
    ...change,
  };
};
const started: Progress = { revision: 'new', startedAt: now, step: 'Starting' };
const seen = (members: Member[], change: Partial<RolloutObservation> = {}): RolloutObservation => ({
  members,
  replicas: 3,
  wantedReplicas: 3,
  revision: 'new',
  progress: started,
  deadlineMs: 900_000,
  setIsCurrent: true,
  paused: false,
  order: 'ReverseOrdinal',
  gates: [],
  can: { role: false, sync: false, handoff: false },
  answer: () => undefined,
  ...change,
});

/** The same without an upgrade under way. */
function idling(...of: Parameters<typeof seen>): RolloutObservation {
  const idle: { progress?: Progress } & RolloutObservation = { ...seen(...of) };
  delete (idle as { progress?: Progress }).progress;
  return idle;
}

/** A verdict in a few words: what is asked, or the step, what is done and what holds it up. */
function told(observation: RolloutObservation): string {
  const verdict = decideRollout(observation, now);
  if ('settled' in verdict) return ['settled', ...verdict.settled.map(describeAction)].join(', ');
  if ('ask' in verdict) return `ask ${verdict.ask.map(({ about, of }) => `${about} ${of.name}`).join(', ')}`;
  const { step, member: of, actions, blockedBy, replicas } = verdict.outcome;
  const done = actions.map((action) =>
    describeAction(action)
      .replace(/ finalizer \S+ (to|from) Pod shop\//, ' hold ')
      .replace('Pod shop/', ''),
  );
  return [
    `${step} ${of?.name ?? '-'}`,
    ...done,
    ...(replicas === undefined ? [] : [`replicas ${replicas}`]),
    ...(blockedBy ? [blockedBy] : []),
  ].join(', ');
}

const all = (change: Partial<Member> = {}): [Member, Member, Member] => [
  member(0, change),
  member(1, change),
  member(2, change),
];
const current = { revision: 'new' };
const held = { held: true };
const ended = { held: true, terminating: true, ready: false };
const broken = { ready: false, since: now - brokenAfterMs };
const yes = (): RolloutAnswer => ({ ok: true, message: 'yes' });
const no = (): RolloutAnswer => ({ ok: false, message: 'not yet' });
const gates = [{ name: 'lag', target: 'Peers' }] as const;
const can = { role: false, sync: false, handoff: false };
const [a, b, c] = all();

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
    'settled, remove finalizer cache.my.domain/pre-terminate-hook from Pod shop/cache-2',
  ],
  ['the set does not know yet what to create', seen([a, b, member(2, held)], { setIsCurrent: false }), 'Starting -'],
  ['the upgrade is paused', seen([a, b, member(2, held)], { paused: true }), 'Paused -'],
  ['a replacement is missing while it is paused', seen([a, b], { paused: true }), 'AwaitingReplacement -'],
])('when %s', (_when, observation, expected) => {
  expect(told(observation)).toBe(expected);
});

describe('a member that is outdated and does not work', () => {
  test.each<[string, RolloutObservation, string]>([
    [
      'is replaced first, and nobody is asked',
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
    expect(told(observation)).toBe(expected);
  });

  test.each<[string, Partial<Member>, string]>([
    ['a little later, by another clock, is not yet taken for broken', { since: now + 2000 }, 'AwaitingReady cache-1'],
    [
      'in a future that only a wrong clock explains is replaced',
      { since: now + 3_600_000 },
      'AwaitingReplacement cache-1, delete cache-1',
    ],
  ])('%s', (_when, change, expected) => {
    expect(told(seen([a, member(1, { ready: false, ...change }), c]))).toBe(expected);
  });

  test('is replaced at once where it is of the revision that a rollback undoes', () => {
    const fresh = member(1, { ready: false, since: now, revision: 'bad' });
    expect(told(seen([a, fresh, c], { failedRevision: 'bad' }))).toBe('AwaitingReplacement cache-1, delete cache-1');
  });

  test('is replaced before half of the time is over', () => {
    const young = member(1, { ready: false, since: now - 10_000 });
    expect(told(seen([a, young, c], { deadlineMs: 20_000 }))).toBe('AwaitingReplacement cache-1, delete cache-1');
  });

  test('is looked at again when it will count as broken', () => {
    const verdict = decideRollout(seen([a, member(1, { ready: false, since: now - 10_000 }), c]), now);
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
    ['let it go when open', seen(ready, { gates, answer: yes }), 'TakingDown cache-2, delete cache-2'],
    [
      'can be opened by hand for this pod',
      seen(ready, { gates, answer: no, openedFor: 'uid-2' }),
      'TakingDown cache-2, delete cache-2',
    ],
    [
      'stay closed when opened for an earlier pod',
      seen(ready, { gates, answer: no, openedFor: 'uid-9' }),
      'AwaitingGate cache-2, gate lag: cache-0: not yet',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  test('are asked again after a while, and the deadline is never slept over', () => {
    const at = (startedAt: number) =>
      decideRollout(seen(ready, { gates, answer: no, progress: { ...started, startedAt } }), now);
    expect(at(now)).toMatchObject({ outcome: { lookAgainAt: now + gateIntervalMs, release: 'gate' } });
    expect(at(now - 899_000)).toMatchObject({ outcome: { lookAgainAt: now + 1000 } });
  });
});

describe('the hand-off', () => {
  const handing = { can: { ...can, handoff: true } };
  const ready = [a, b, member(2, held)];
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
    expect(told(observation)).toBe(expected);
  });

  const done = (role: RolloutAnswer, handoff?: RolloutAnswer): RolloutObservation =>
    seen(ready, {
      can: { ...can, handoff: true, role: true },
      handedOff: 'uid-2',
      answer: ({ about }) => (about === 'role' ? role : handoff),
    });
  test.each<[string, RolloutObservation, string]>([
    ['is done again', done(yes()), 'ask handoff cache-2'],
    ['is recorded again', done(yes(), yes()), 'HandingOff cache-2'],
    ['is not taken for done', done({ ...no(), unknown: true }), 'HandingOff cache-2, role: cache-2: not yet'],
  ])('%s where whoever took over was lost, and the member leads again, or may', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  test('is enough where the member leads no more', () => {
    expect(told(done(no()))).toBe('TakingDown cache-2, delete cache-2');
  });
});

describe('leader last', () => {
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
      'waits where nobody answers',
      seen([a, b, c], leading(0, { answer: () => ({ ok: false, unknown: true, message: 'no answer' }) })),
      'AwaitingGate cache-2, role: cache-2: no answer',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  test('a leader goes down only when a peer has its data (I5)', () => {
    const both = { ...can, role: true, sync: true };
    const leads = (synced: boolean) => (question: Parameters<RolloutObservation['answer']>[0]) =>
      question.about === 'role' ? { ok: question.of.ordinal === 0, message: '' } : { ok: synced, message: 'behind' };
    const last = [member(0, held), member(1, current), member(2, current)];
    expect(told(seen(last, { can: both, answer: leads(false) }))).toBe('AwaitingGate cache-0, sync: cache-1: behind');
    expect(told(seen(last, { can: both, answer: leads(true) }))).toBe('TakingDown cache-0, delete cache-0');
  });
});

describe('the second gate: a member that has ended keeps its name', () => {
  const gone = member(2, ended);
  test.each<[string, RolloutObservation, string]>([
    [
      'while a peer is not ready',
      seen([a, member(1, { ready: false, since: now }), gone]),
      'AwaitingTermination cache-2, peer cache-1 is not ready',
    ],
    [
      'but not for a peer that does not work',
      seen([a, member(1, { ...broken, ...current }), gone]),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'until somebody else leads',
      seen([a, b, gone], { can: { ...can, role: true }, answer: no }),
      'AwaitingTermination cache-2, role: none of cache-0, cache-1 leads',
    ],
    [
      'no longer when somebody leads',
      seen([a, b, gone], { can: { ...can, role: true }, answer: yes }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'not when it is alone',
      seen([member(0, ended)], { replicas: 1, wantedReplicas: 1 }),
      'AwaitingReplacement cache-0, remove hold cache-0',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  test('and not when no upgrade is under way', () => {
    const idle = idling([a, member(1, { ready: false, since: now }), gone], { revision: 'old' });
    expect(told(idle)).toBe('AwaitingReplacement cache-2, remove hold cache-2');
  });
});

describe('a replacement that can tell whether it has caught up', () => {
  const back = [a, b, member(2, current)];
  const progress: Progress = { ...started, step: 'AwaitingReplacement', catchingUp: [{ ordinal: 2, podUID: 'gone' }] };
  const synced = { can: { ...can, sync: true }, progress };
  const withRole = { ...synced, can: { ...can, role: true, sync: true } };
  const outdated = { ...synced, progress: { ...progress, catchingUp: [{ ordinal: 1 }] } };
  const leads = ({ about }: Question): RolloutAnswer => (about === 'role' ? yes() : no());
  const third = (change: Partial<Member> = {}): Member[] => [member(0, change), b, member(2, current)];
  const onlyTheThird = ({ of }: Question): RolloutAnswer => (of.ordinal === 0 ? yes() : no());
  test.each<[string, RolloutObservation, string]>([
    ['is asked', seen(back, synced), 'ask sync cache-2'],
    ['holds the next one up', seen(back, { ...synced, answer: no }), 'AwaitingSync cache-2, sync: cache-2: not yet'],
    ['lets the next one come', seen(back, { ...synced, answer: yes }), 'Holding cache-1, add hold cache-1'],
    [
      'holds the next one up whatever the upgrade was about since',
      seen(back, { ...withRole, progress: { ...progress, step: 'AwaitingGate', pod: 'cache-2' }, answer: no }),
      'AwaitingSync cache-2, sync: cache-2: not yet',
    ],
    [
      'lets the next one come where it leads, and lags behind nobody',
      seen(back, { ...withRole, answer: leads }),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'holds the next one up although somebody has deleted a third, which has caught up',
      seen(third(current), {
        ...synced,
        progress: { ...progress, pod: 'cache-0', podUID: 'gone', catchingUp: [{ ordinal: 0 }, { ordinal: 2 }] },
        answer: onlyTheThird,
      }),
      'AwaitingSync cache-2, sync: cache-2: not yet',
    ],
    ['is not asked as long as the pod that goes is seen', seen(back, { ...synced, progress: { ...progress, catchingUp: [{ ordinal: 2, podUID: 'uid-2' }] } }), 'Holding cache-1, add hold cache-1'], // prettier-ignore
    ['is asked too when something else is wanted before it has', seen([a, b, c], outdated), 'ask sync cache-1'],
    [
      'goes before the others then, which carry the data',
      seen([a, b, c], { ...outdated, answer: no }),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'stays the next one while its turn is prepared',
      seen([a, member(1, held), c], { ...outdated, answer: no, gates }),
      'AwaitingGate cache-1, gate lag: cache-0: not yet',
    ],
    [
      'goes when its turn comes where it has caught up',
      seen([a, b, c], { ...outdated, answer: yes }),
      'Holding cache-2, add hold cache-2',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(told(observation)).toBe(expected);
  });

  const remembered = (observation: RolloutObservation) => {
    const verdict = decideRollout(observation, now);
    return 'outcome' in verdict ? catchingUpAfter(observation, verdict.outcome) : verdict;
  };
  const fresh = { ...synced, progress: started };
  test.each<[string, RolloutObservation, readonly Awaited[]]>([
    ['it is taken down', seen([a, b, member(2, held)], fresh), [{ ordinal: 2, podUID: 'uid-2' }]],
    ['it ends, by whoever’s hand', seen([member(0, { terminating: true }), b, c], fresh), [{ ordinal: 0, podUID: 'uid-0' }]], // prettier-ignore
    ['it is gone', seen([b, c], fresh), [{ ordinal: 0 }]],
    ['a third one goes', seen([member(0, ended), b, member(2, current)], synced), [{ ordinal: 0, podUID: 'uid-0' }, { ordinal: 2, podUID: 'gone' }]], // prettier-ignore
    ['it is back and lags', seen(back, { ...synced, answer: no }), [{ ordinal: 2, podUID: 'gone' }]],
    ['it has failed meanwhile', seen(back, { ...synced, progress: { ...progress, step: 'Failed' }, answer: no }), [{ ordinal: 2, podUID: 'gone' }]], // prettier-ignore
    ['nothing, once it has caught up', seen(back, { ...synced, answer: yes }), []],
    ['nothing, where nobody can be asked', seen([b, c]), []],
  ])('is remembered when %s', (_when, observation, expected) => {
    expect(remembered(observation)).toEqual(expected);
  });

  test('keeps drains away until it has', () => {
    expect(closedGates(a, seen(back, { ...synced, answer: no }), now)).toMatchObject({
      outcome: { blockedBy: 'sync: cache-2: not yet' },
    });
    expect(closedGates(member(2, current), seen(back, { ...synced, answer: no }), now)).toBeUndefined();
  });
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
    expect(told(observation)).toBe(expected);
  });
});

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

test('two questions are the same when they ask the same of the same pod', () => {
  expect(questionKey({ about: 'gate', gate: 'x', of: a, candidate: c })).not.toBe(
    questionKey({ about: 'gate', gate: 'x', of: a, candidate: b }),
  );
  expect(questionKey({ about: 'role', of: a })).toBe(
    questionKey({ about: 'role', of: { ...a, resourceVersion: '9' } }),
  );
});

test('a member is deleted only as it was seen (I9)', () => {
  const verdict = decideRollout(seen([a, b, member(2, { ...held, resourceVersion: '42' })]), now);
  const actions = 'outcome' in verdict ? verdict.outcome.actions : [];
  expect(actions).toMatchObject([{ kind: 'delete', target: { uid: 'uid-2' }, resourceVersion: '42' }]);
});
