import { describe, expect, test } from 'vitest';
import type { Awaited, Member, Progress, Question, RolloutAnswer, RolloutObservation } from './index.ts';
import { catchingUpAfter, byDeletion, decideRollout } from './index.ts';
import { closedGates } from './next.ts';
import {
  now,
  member,
  started,
  seen,
  idling,
  reported,
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

describe('the second gate: a member that has ended keeps its name', () => {
  const gone = member(2, ended);
  const silent = () => ({ ok: false, unknown: true, message: 'no answer' });
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
      'until another member leads',
      seen([a, b, gone], { can: { ...can, role: true }, answer: no }),
      'AwaitingTermination cache-2, role: none of cache-0, cache-1 leads',
    ],
    [
      'also where its gates were opened by hand, as long as an election may take',
      seen([a, b, { ...gone, since: now - 29_000 }], { can: { ...can, role: true }, answer: no, openedFor: ['uid-2'] }),
      'AwaitingTermination cache-2, role: none of cache-0, cache-1 leads',
    ],
    [
      'no longer than an election may take, where its gates were opened by hand',
      seen([a, b, { ...gone, since: now - 30_000 }], { can: { ...can, role: true }, answer: no, openedFor: ['uid-2'] }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'until a user opens its gates by hand, where no member can say which one leads',
      seen([a, b, gone], { can: { ...can, role: true }, answer: silent, openedFor: ['uid-2'] }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'no longer when a member leads',
      seen([a, b, gone], { can: { ...can, role: true }, answer: yes }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'until one of those that serve has all data, where no member is asked which one leads',
      seen([a, b, gone], { can: { ...can, sync: true }, answer: no }),
      'AwaitingTermination cache-2, sync: cache-0: not yet',
    ],
    [
      'but not where a user has opened its gates by hand, and none has',
      seen([a, b, gone], { can: { ...can, sync: true }, answer: no, openedFor: ['uid-2'] }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'no longer when one of them has',
      seen([a, b, gone], { can: { ...can, sync: true }, answer: ({ of }) => (of.ordinal === 1 ? yes() : no()) }),
      'AwaitingReplacement cache-2, remove hold cache-2',
    ],
    [
      'not when it is alone',
      seen([member(0, ended)], { replicas: 1, wantedReplicas: 1 }),
      'AwaitingReplacement cache-0, remove hold cache-0',
    ],
  ])('%s', (_when, observation, expected) => {
    expect(reported(observation)).toBe(expected);
  });

  test('and not when no upgrade is under way', () => {
    const idle = idling([a, member(1, { ready: false, since: now }), gone], { revision: 'old' });
    expect(reported(idle)).toBe('AwaitingReplacement cache-2, remove hold cache-2');
  });
});

describe('a replacement that can tell whether it has caught up', () => {
  const back = [a, b, member(2, current)];
  const progress: Progress = { ...started, step: 'AwaitingReplacement' };
  const synced = { can: { ...can, sync: true }, progress, catchingUp: [{ ordinal: 2, podUID: 'gone' }] };
  const withRole = { ...synced, can: { ...can, role: true, sync: true } };
  const outdated = { ...synced, catchingUp: [{ ordinal: 1 }] };
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
      'lets the next one come where it leads, and lags behind no other member',
      seen(back, { ...withRole, answer: leads }),
      'Holding cache-1, add hold cache-1',
    ],
    [
      'holds the next one up although another client has deleted a third, which has caught up',
      seen(third(current), {
        ...synced,
        progress: { ...progress, pod: 'cache-0', podUID: 'gone' },
        catchingUp: [{ ordinal: 0 }, { ordinal: 2 }],
        answer: onlyTheThird,
      }),
      'AwaitingSync cache-2, sync: cache-2: not yet',
    ],
    ['is not asked as long as the pod that goes is seen', seen(back, { ...synced, catchingUp: [{ ordinal: 2, podUID: 'uid-2' }] }), 'Holding cache-1, add hold cache-1'], // prettier-ignore
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
    expect(reported(observation)).toBe(expected);
  });

  const idle = (members: Member[], change: Partial<RolloutObservation> = {}): RolloutObservation =>
    idling(members, { can: synced.can, hasRun: true, revision: 'old', answer: no, ...change });
  test('holds a reduction up outside of an upgrade, too', () => {
    const catchingUp = [{ ordinal: 0 }];
    expect(reported(idle([a, b, c], { catchingUp, wantedReplicas: 2 }))).toBe(
      'AwaitingSync cache-0, sync: cache-0: not yet',
    );
  });

  test('holds no member up where it is to leave, and carries no data itself', () => {
    const change = { catchingUp: [{ ordinal: 2 }], wantedReplicas: 2 };
    expect(reported(idle([a, b, c], change))).toBe('TakingDown cache-2, replicas 2');
    expect(reported(idle([a, b, c], { ...change, can: withRole.can }))).toBe('TakingDown cache-2, replicas 2');
  });

  const remembered = (observation: RolloutObservation) => {
    const verdict = decideRollout(observation, now, byDeletion);
    return 'outcome' in verdict ? catchingUpAfter(observation, verdict.outcome) : verdict;
  };
  const fresh = { ...synced, progress: started, catchingUp: [] };
  test.each<[string, RolloutObservation, readonly Awaited[]]>([
    ['it is taken down', seen([a, b, member(2, held)], { ...fresh, answer: yes }), [{ ordinal: 2, podUID: 'uid-2' }]],
    ['it ends, by whoever’s hand', seen([member(0, { terminating: true }), b, c], fresh), [{ ordinal: 0, podUID: 'uid-0' }]], // prettier-ignore
    ['it is gone', seen([b, c], fresh), [{ ordinal: 0 }]],
    ['a third one goes', seen([member(0, ended), b, member(2, current)], { ...synced, answer: no }), [{ ordinal: 0, podUID: 'uid-0' }, { ordinal: 2, podUID: 'gone' }]], // prettier-ignore
    ['it is back and lags', seen(back, { ...synced, answer: no }), [{ ordinal: 2, podUID: 'gone' }]],
    ['it lags and is taken down once more', seen([a, b, member(2, held)], { ...synced, answer: no }), [{ ordinal: 2, podUID: 'gone' }]], // prettier-ignore
    ['it has caught up and does not serve for a while', seen([a, b, member(2, { ...current, ready: false })], fresh), [{ ordinal: 2 }]], // prettier-ignore
    ['one that has not been replaced does not serve', seen([a, member(1, { ready: false }), c], fresh), [{ ordinal: 1 }]], // prettier-ignore
    ['it has failed meanwhile', seen(back, { ...synced, progress: { ...progress, step: 'Failed' }, answer: no }), [{ ordinal: 2, podUID: 'gone' }]], // prettier-ignore
    ['nothing, once it has caught up', seen(back, { ...synced, answer: yes }), []],
    ['nothing, where no member can be asked', seen([b, c]), []],
    [
      'it ends outside of an upgrade',
      idle([member(0, { terminating: true }), b, c]),
      [{ ordinal: 0, podUID: 'uid-0' }],
    ],
    ['it is gone outside of an upgrade', idle([b, c]), [{ ordinal: 0 }]],
    ['it does not serve outside of an upgrade', idle([a, member(1, { ready: false }), c]), [{ ordinal: 1 }]],
    ['nothing, while the cache is being created', idle([b, c], { hasRun: false }), []],
    ['nothing, while the StatefulSet has not taken up its members', idle([b, c], { setIsCurrent: false }), []],
  ])('is remembered when %s', (_when, observation, expected) => {
    expect(remembered(observation)).toEqual(expected);
  });

  test('keeps drains away until it has', () => {
    expect(closedGates(a, seen(back, { ...synced, answer: no }), now)).toMatchObject({
      outcome: { blockedBy: 'sync: cache-2: not yet' },
    });
    expect(closedGates(member(2, current), seen(back, { ...synced, answer: no }), now)).toBeUndefined();
  });

  test('keeps drains away also where only the webhook has seen it go', () => {
    const lastReserved = { ordinal: 2, podUID: 'gone' };
    expect(closedGates(a, idle([a, b, c], { lastReserved }), now)).toMatchObject({
      outcome: { blockedBy: 'sync: cache-2: not yet' },
    });
  });

  test.each<[string, Member, Partial<RolloutObservation>, string]>([
    ['of those that stay', c, { wantedReplicas: 1 }, 'sync: cache-0: not yet'],
    ['of all its peers', a, {}, 'sync: cache-1: not yet'],
  ])(
    'a member is deleted only when one %s has all data, where no member can say which one leads',
    (_of, candidate, change, blockedBy) => {
      expect(closedGates(candidate, idle([a, b, c], change), now)).toMatchObject({ outcome: { blockedBy } });
      expect(closedGates(candidate, idle([a, b, c], { ...change, answer: yes }), now)).toBeUndefined();
    },
  );
});
