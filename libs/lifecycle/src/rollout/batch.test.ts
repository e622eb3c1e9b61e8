import { describe, expect, test } from 'vitest';
import type { Member, Question, RolloutAnswer, RolloutObservation } from './index.ts';
import { byDeletion, decideRollout, membersInFlight } from './index.ts';
import { maxUnavailableOf } from './max-unavailable.ts';
import {
  all,
  broken,
  current,
  ended,
  held,
  member,
  no,
  now,
  reported,
  seen,
  started,
  yes,
} from '../../test/rollout/seen.ts';

const down = { ready: false, terminating: true };
const starting = { ...current, ready: false, since: now };

/** Five members, of which two may be unavailable; these are not as they were. */
function five(changes: readonly Partial<Member>[], change: Partial<RolloutObservation> = {}): RolloutObservation {
  const members = changes.map((each, ordinal) => member(ordinal, each));
  return seen(members, { replicas: 5, wantedReplicas: 5, maxUnavailable: 2, ...change });
}

test.each<[number | string | undefined, number, number]>([
  [undefined, 5, 1],
  [1, 1, 1],
  [2, 5, 2],
  [2, 2, 1],
  [9, 3, 2],
  ['25%', 8, 2],
  ['25%', 7, 1],
  ['10%', 3, 1],
  ['99%', 5, 4],
])('%s of %i members are %i', (asked, replicas, expected) => {
  expect(maxUnavailableOf(asked, replicas)).toBe(expected);
});

test.each<[string, RolloutObservation, string]>([
  ['all serve', five([{}, {}, {}, {}, {}]), 'Holding cache-4, add hold cache-4'],
  ['the first is held', five([{}, {}, {}, {}, held]), 'TakingDown cache-4, delete cache-4'],
  ['the first is down', five([{}, {}, {}, {}, down]), 'Holding cache-3, add hold cache-3'],
  ['the first is down and the second held', five([{}, {}, {}, held, down]), 'TakingDown cache-3, delete cache-3'],
  ['two are down', five([{}, {}, held, down, down]), 'AwaitingReplacement cache-3'],
  ['one starts and one is down', five([{}, {}, {}, down, starting]), 'AwaitingReplacement cache-3'],
  ['one is back', five([{}, {}, {}, starting, current]), 'Holding cache-2, add hold cache-2'],
  [
    'one is away by another hand',
    five([{ ready: false, since: now }, {}, {}, {}, down]),
    'AwaitingReplacement cache-4',
  ],
  ['another client may delete one', five([{}, {}, {}, {}, down], { reserved: 'uid-0' }), 'AwaitingReplacement cache-4'],
  [
    'a member is broken and runs what is wanted',
    five([{}, {}, {}, {}, { ...broken, ...current }]),
    'Holding cache-3, add hold cache-3',
  ],
  [
    'two members are broken and run what is wanted',
    five([{}, {}, {}, { ...broken, ...current }, { ...broken, ...current }]),
    'AwaitingReady cache-3',
  ],
  ['the upgrade is paused', five([{}, {}, {}, {}, down], { paused: true }), 'AwaitingReplacement cache-4'],
  ['members leave for good', five([{}, {}, {}, {}, held], { wantedReplicas: 4 }), 'TakingDown cache-4, replicas 4'],
  [
    'members leave for good while one is down',
    five([{}, {}, {}, down, {}], { wantedReplicas: 4 }),
    'AwaitingReplacement cache-3',
  ],
  [
    'one was ready for too short a time, and one is down',
    five([{}, {}, {}, down, { ...current, since: now }], { minReadyMs: 5000 }),
    'AwaitingReplacement cache-3',
  ],
  ['only one may be unavailable', five([{}, {}, {}, {}, down], { maxUnavailable: 1 }), 'AwaitingReplacement cache-4'],
])('where two may be unavailable and %s', (_when, observation, expected) => {
  expect(reported(observation)).toBe(expected);
});

test('a member that is not there is unavailable', () => {
  const members = (change: Partial<Member>) => [member(0), member(1), member(2), member(3, change)];
  const sizes = { replicas: 5, wantedReplicas: 5, maxUnavailable: 2 };
  expect(reported(seen(members({}), sizes))).toBe('Holding cache-3, add hold cache-3');
  expect(reported(seen(members(down), sizes))).toBe('AwaitingReplacement cache-3');
});

/** What members say: who leads, whose own gate is closed, and who has not caught up. */
const saying =
  (says: {
    readonly leader?: number;
    readonly unknown?: number;
    readonly closed?: readonly number[];
    readonly behind?: number;
  }) =>
  ({ about, of }: Question): RolloutAnswer => {
    if (about === 'role')
      return { ok: of.ordinal === says.leader, message: '', ...(of.ordinal === says.unknown && { unknown: true }) };
    if (about === 'gate') return says.closed?.includes(of.ordinal) === true ? no() : yes();
    return about === 'sync' && of.ordinal === says.behind ? no() : yes();
  };

const self = [{ name: 'self', target: 'Self' }] as const;
const peers = [{ name: 'peers', target: 'Peers' }] as const;
const roles = { role: true, sync: false, handoff: false };

describe('each goes through its own gates', () => {
  test.each<[string, RolloutObservation, string]>([
    [
      'a closed gate keeps no other one',
      five([{}, {}, {}, held, held], { gates: self, answer: saying({ closed: [4] }) }),
      'TakingDown cache-3, delete cache-3',
    ],
    [
      'but keeps its place',
      five([{}, {}, held, down, held], { gates: self, answer: saying({ closed: [4] }) }),
      'AwaitingGate cache-4, gate self: cache-4: not yet',
    ],
    [
      'where all are closed all wait, and the first is shown',
      five([{}, {}, {}, held, held], { gates: self, answer: saying({ closed: [3, 4] }) }),
      'AwaitingGate cache-4, gate self: cache-4: not yet',
    ],
    [
      'those that are down are no peers',
      five([{}, {}, {}, held, down], { gates: peers, answer: saying({ closed: [4] }) }),
      'TakingDown cache-3, delete cache-3',
    ],
    [
      'those that serve are',
      five([{}, {}, {}, held, down], { gates: peers, answer: saying({ closed: [0] }) }),
      'AwaitingGate cache-3, gate peers: cache-0: not yet',
    ],
    ['all are asked at once', five([{}, {}, {}, held, held], { gates: self }), 'ask gate cache-4, gate cache-3'],
    [
      'the finalizer of one whose turn is over is removed',
      five([held, {}, {}, held, down]),
      'TakingDown cache-3, remove hold cache-0, delete cache-3',
    ],
  ])('%s', (_what, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });
});

describe('a leader goes alone', () => {
  const can = roles;
  test.each<[string, RolloutObservation, string]>([
    [
      'it waits for the one that is down',
      five([{}, {}, {}, held, down], { can, answer: saying({ leader: 3 }) }),
      'AwaitingReplacement cache-4',
    ],
    [
      'in its turn, when all others serve',
      five([{}, {}, {}, {}, held], { can, answer: saying({ leader: 4 }) }),
      'TakingDown cache-4, delete cache-4',
    ],
    [
      'no other one goes before another one leads',
      five([{}, {}, {}, held, down], { can, answer: saying({}) }),
      'AwaitingReplacement cache-4',
    ],
    [
      'no other one goes before it is back, although another one leads',
      five([{}, {}, {}, held, down], { can, alone: [4], answer: saying({ leader: 0 }) }),
      'AwaitingReplacement cache-4',
    ],
    [
      'others go when it is',
      five([{}, {}, held, down, current], { can, alone: [4], answer: saying({ leader: 0 }) }),
      'TakingDown cache-2, delete cache-2',
    ],
    [
      'followers go before it where it is to be the last',
      five([{}, {}, {}, {}, { ...down }], { can, order: 'LeaderLast', answer: saying({ leader: 3 }) }),
      'Holding cache-2, add hold cache-2',
    ],
    [
      'as the last one, too',
      five([{ ...current }, held, current, starting, current], {
        can,
        order: 'LeaderLast',
        answer: saying({ leader: 1 }),
      }),
      'AwaitingReady cache-3',
    ],
    [
      'one that can’t say whether it leads may lead',
      five([{}, {}, {}, held, down], { can, answer: saying({ leader: 0, unknown: 3 }) }),
      'AwaitingReplacement cache-4',
    ],
  ])('%s', (_what, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });
});

test('one that was to be deleted, and still serves, comes before any other one', () => {
  const progress = { ...started, step: 'TakingDown', podUID: 'uid-3' } as const;
  const observation = five([{}, {}, {}, held, held], { progress, gates: self, answer: saying({ closed: [3] }) });
  expect(reported(observation)).toBe('AwaitingGate cache-3, gate self: cache-3: not yet');
});

test('members that hand over are prepared one after another', () => {
  const can = { role: false, sync: false, handoff: true };
  const answer = saying({ closed: [4] });
  const observation = five([{}, {}, {}, {}, held], { can, gates: self, handedOff: 'uid-4', answer });
  expect(reported(observation)).toBe('AwaitingGate cache-4, gate self: cache-4: not yet');
});

describe('a replacement that has not caught up', () => {
  const can = { role: false, sync: true, handoff: false };
  const catchingUp = [{ ordinal: 4, podUID: 'gone' }];
  test.each<[string, number, string]>([
    ['counts as unavailable', 2, 'AwaitingReplacement cache-3'],
    ['keeps no other one where more may be', 3, 'Holding cache-2, add hold cache-2'],
  ])('%s', (_what, maxUnavailable, expected) => {
    const answer = saying({ behind: 4 });
    const observation = five([{}, {}, {}, down, current], { can, catchingUp, maxUnavailable, answer });
    expect(reported(observation)).toBe(expected);
  });

  test('is not the one that keeps the data of those that go', () => {
    const answer = ({ about }: Question): RolloutAnswer => (about === 'sync' ? no() : yes());
    const observation = five([{}, {}, {}, held, current], { can, catchingUp, answer });
    expect(reported(observation)).toBe('AwaitingGate cache-3, sync: cache-0: not yet');
  });
});

describe('canaries go alone', () => {
  const canary = { replicas: 2, bakeMs: 0, judgements: [], isPromoted: true, abortBy: 'abort' };
  test.each<[string, RolloutObservation, string]>([
    ['the first', five([{}, {}, {}, {}, down], { canary }), 'AwaitingReplacement cache-4'],
    ['the second', five([{}, {}, {}, down, current], { canary }), 'AwaitingReplacement cache-3'],
    [
      'those after them do not',
      five([{}, {}, down, current, current], { canary }),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'before they are promoted no other one goes',
      five([{}, {}, {}, current, current], { canary: { ...canary, isPromoted: false } }),
      'AwaitingPromotion -, promotion is manual, and no user has promoted it yet (to go back: abort)',
    ],
  ])('%s', (_what, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });
});

describe('two that have ended', () => {
  test.each<[string, Partial<RolloutObservation>, string]>([
    ['do not wait for each other', {}, 'AwaitingReplacement cache-3, remove hold cache-3'],
    [
      'do not, either, where only one may be unavailable by now',
      { maxUnavailable: 1 },
      'AwaitingReplacement cache-3, remove hold cache-3',
    ],
    [
      'wait until one leads',
      { can: roles, answer: saying({}) },
      'AwaitingTermination cache-3, role: none of cache-0, cache-1, cache-2 leads',
    ],
  ])('%s', (_what, change, expected) => {
    expect(reported(five([{}, {}, {}, ended, ended], change))).toBe(expected);
  });

  test('one waits for a peer that starts only where no more may be unavailable', () => {
    const members = [{}, {}, {}, starting, ended];
    expect(reported(five(members))).toBe('AwaitingReplacement cache-4, remove hold cache-4');
    expect(reported(five(members, { maxUnavailable: 1 }))).toBe(
      'AwaitingTermination cache-4, peer cache-3 is not ready',
    );
  });
});

test('a failed upgrade lets all go that are held', () => {
  const observation = five([{}, {}, held, held, starting], { abortedBy: 'abort' });
  expect(reported(observation)).toBe('Failed -, remove hold cache-2, remove hold cache-3');
});

test('all members in flight are named, each with its step', () => {
  const observation = five([{}, {}, held, held, { ...starting, cause: 'it can’t start' }], {
    maxUnavailable: 3,
    gates: self,
    answer: saying({ closed: [2, 3] }),
  });
  const verdict = decideRollout(observation, now, byDeletion);
  const outcome = 'outcome' in verdict ? verdict.outcome : expect.fail();
  expect(membersInFlight(observation, outcome, now)).toEqual([
    { ordinal: 2, uid: 'uid-2', step: 'AwaitingGate', blockedBy: 'gate self: cache-2: not yet' },
    { ordinal: 3, uid: 'uid-3', step: 'AwaitingGate', blockedBy: 'gate self: cache-3: not yet' },
    { ordinal: 4, uid: 'uid-4', step: 'AwaitingReady', blockedBy: 'it can’t start' },
  ]);
  expect(membersInFlight({ ...observation, maxUnavailable: 1 }, outcome, now)).toEqual([]);
});

test('a leader that goes is named as one that goes alone, until it is back', () => {
  const observation = five([{}, {}, {}, {}, held], { can: roles, answer: saying({ leader: 4 }) });
  const verdict = decideRollout(observation, now, byDeletion);
  const outcome = 'outcome' in verdict ? verdict.outcome : expect.fail();
  expect(membersInFlight(observation, outcome, now)).toEqual([
    { ordinal: 4, uid: 'uid-4', step: 'TakingDown', alone: true },
  ]);
  const later = five([{}, {}, {}, {}, starting], { alone: [4] });
  expect(membersInFlight(later, { ...outcome, step: 'AwaitingReady' }, now)).toEqual([
    { ordinal: 4, uid: 'uid-4', step: 'AwaitingReady', alone: true },
  ]);
});

test('without more than one that may be unavailable nothing is new', () => {
  const [a, b, c] = all();
  expect(reported(seen([a, b, c], { maxUnavailable: 1 }))).toBe(reported(seen([a, b, c])));
});
