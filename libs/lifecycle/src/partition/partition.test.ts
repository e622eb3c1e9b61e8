import type { StatefulSet } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { all, broken, gates, member, no, now, seen, yes } from '../../test/rollout/seen.ts';
import type { Member, RolloutObservation } from '../rollout/index.ts';
import {
  aheadFrom,
  everyMember,
  heldFrom,
  heldReplicasOf,
  maxThirdOf,
  releaseThroughGates,
  shrinkThroughGates,
} from './index.ts';
import { isCatchingUp } from './ahead.ts';
import { frontierOf } from './frontier.ts';
import { sizeOf } from './partitioned-set.ts';
import type { PartitionedSet, Released } from './index.ts';
import type { Intended } from './release.ts';

const [a, b, c] = all();
const updated = { revision: 'new' };

/** By default three members of the old revision, of which none is released. */
const setOf = (members: readonly Member[], change: Partial<PartitionedSet> = {}): PartitionedSet => ({
  name: 'cache',
  members,
  applied: 'new',
  held: 'old',
  partition: 3,
  present: 3,
  replicas: 3,
  record: undefined,
  ...change,
});

interface Change {
  readonly set?: Partial<PartitionedSet>;
  readonly rollout?: Partial<RolloutObservation>;
  readonly intended?: Partial<Intended>;
}

/** What may be released of everything, by default where members can be held one by one. */
function released(members: readonly Member[], { set, rollout, intended }: Change = {}): Released {
  const all = { revision: 'new', partition: 0, canHoldBelow: () => true, ...intended };
  return releaseThroughGates({ set: setOf(members, set), rollout: seen([...members], rollout), intended: all }, now);
}

describe('who has gone ahead', () => {
  test('is known by what members run, and by the partition that is on record', () => {
    expect(aheadFrom(setOf([a, b, c]))).toBe(everyMember);
    expect(aheadFrom(setOf([a, b, member(2, updated)]))).toBe(2);
    expect(aheadFrom(setOf([a, b], { record: { partition: 2 } }))).toBe(2);
  });

  test('is not who is seen to run what held ones run, where the StatefulSet’s controller counts as many', () => {
    const record = { partition: 1 };
    expect(aheadFrom(setOf([a, b, c], { record, heldReplicas: 3 }))).toBe(everyMember);
    expect(aheadFrom(setOf([a, b, member(2, updated)], { record, heldReplicas: 2 }))).toBe(2);
    // Seen as it was before it was replaced.
    expect(aheadFrom(setOf([a, b, member(2, updated)], { record, heldReplicas: 1 }))).toBe(1);
    // What has been written since was not looked at yet.
    expect(aheadFrom(setOf([a, b, c], { record }))).toBe(1);
  });

  test('is not who runs what another client has set', () => {
    expect(aheadFrom(setOf([a, b, member(2, { revision: '' })]))).toBe(everyMember);
  });
});

describe('a member that is seen to run a third template', () => {
  const third = [a, b, member(2, { revision: 'other' })];
  test('has gone ahead, unless the StatefulSet counts fewer', () => {
    expect(aheadFrom(setOf(third))).toBe(2);
    expect(aheadFrom(setOf(third, { maxThird: 1 }))).toBe(2);
    expect(aheadFrom(setOf(third, { maxThird: 0 }))).toBe(everyMember);
    expect(aheadFrom(setOf([a, b, member(2, updated)], { maxThird: 0 }))).toBe(2);
  });

  test('is seen as it was, like all others, where more are seen than the StatefulSet can have', () => {
    const [first, second] = [member(0, { revision: 'other' }), member(1, { revision: 'other' })];
    expect(aheadFrom(setOf([first, second, member(2, updated)], { maxThird: 1 }))).toBe(2);
    expect(aheadFrom(setOf([first, second, member(2, updated)], { maxThird: 2 }))).toBe(0);
  });

  const revisions = { currentRevision: 'r1', updateRevision: 'r2', replicas: 3, observedGeneration: 2 };
  const setWith = (status: object): StatefulSet => {
    const seenSet = { metadata: { generation: 2 }, status: { ...revisions, ...status } };
    return seenSet as unknown as StatefulSet; // All that is read of it.
  };
  test.each([
    [0, 'each is of one of two revisions', { currentReplicas: 2, updatedReplicas: 1 }],
    [0, 'all are of the only one', { currentRevision: 'r2', currentReplicas: 3, updatedReplicas: 3 }],
    [1, 'one is of another', { currentReplicas: 2 }],
    [1, 'some are of another, and the rest of the only one', { currentRevision: 'r2', currentReplicas: 2, updatedReplicas: 2 }], // prettier-ignore
    [
      0,
      'its controller has not looked at it yet, and all ran what it makes held ones of',
      { observedGeneration: 1, currentReplicas: 3 },
    ],
    [0, 'the same, where that was the only one', { observedGeneration: 1, currentRevision: 'r2', updatedReplicas: 3 }],
    [
      2,
      'its controller has not looked at it yet, and two ran another',
      { observedGeneration: 1, currentReplicas: 1, updatedReplicas: 2 },
    ],
    [Infinity, 'it has no members', { replicas: 0 }],
  ])('of which there are at most %s, as its controller counts, where %s', (expected, _where, status) => {
    expect(maxThirdOf(setWith(status))).toBe(expected);
  });

  test('leaves those that are held to be counted by its controller, once that has looked at the set as it is', () => {
    expect(heldReplicasOf(setWith({ currentReplicas: 2 }))).toBe(2);
    expect(heldReplicasOf(setWith({}))).toBe(0);
    expect(heldReplicasOf(setWith({ currentReplicas: 2, observedGeneration: 1 }))).toBeUndefined();
  });
});

test('a StatefulSet catches up while its controller has yet to notice that all its members run what it has', () => {
  expect(isCatchingUp(setOf(all(updated)))).toBe(true);
  expect(isCatchingUp(setOf(all(updated), { held: 'new' }))).toBe(false);
  expect(isCatchingUp(setOf([a, ...all(updated).slice(1)]))).toBe(false);
});

test('the frontier is the highest ordinal that is not done, or not there', () => {
  const isDone = ({ revision }: Member): boolean => revision === 'new';
  expect(frontierOf(3, [a, b, member(2, updated)], isDone)).toEqual({ ordinal: 1, member: b });
  expect(frontierOf(3, [a, member(2, updated)], isDone)).toEqual({ ordinal: 1, member: undefined });
  expect(frontierOf(3, all(updated), isDone)).toBeUndefined();
  expect(sizeOf(setOf([a, member(4)]))).toBe(5);
});

test('a record names the ordinal from which members were released, and none where none was', () => {
  const record = { partition: 1, step: 'Replacing' };
  expect(heldFrom(record, 0)).toEqual({ partition: 0, step: 'Replacing' });
  expect(heldFrom(record, everyMember)).toEqual({ step: 'Replacing' });
});

describe('a member', () => {
  test('is released alone and from the highest ordinal, when every gate is open (S0.1, I8)', () => {
    expect(released([a, b, c], { rollout: { gates, answer: yes } })).toMatchObject({ partition: 2, replace: [] });
    expect(released([a, b, c], { rollout: { gates } }).ask).toHaveLength(2);
    const closed = released([a, b, c], { rollout: { gates, answer: no } });
    expect(closed).toMatchObject({ holdUpTo: 2, closed: { step: 'AwaitingGate', member: c } });
  });

  test('waits while the one before it is away, or is not seen', () => {
    expect(released([a, b])).toMatchObject({ holdUpTo: 2, closed: { pod: 'cache-2' } });
    const down = member(2, { ...updated, ready: false, since: now });
    expect(released([a, b, down], { set: { partition: 2 } })).toMatchObject({ closed: { step: 'AwaitingReady' } });
  });

  test('waits until the one before it has been ready for as long as the set asks for', () => {
    const before = (since: number) => released([a, b, member(2, { ...updated, since })], { set: { partition: 2 }, rollout: { minReadyMs: 60_000 } }); // prettier-ignore
    expect(before(now - 59_000)).toMatchObject({ holdUpTo: 1, closed: { step: 'AwaitingReady' }, lookAgainAt: now + 1_000 }); // prettier-ignore
    expect(before(now - 60_000)).toMatchObject({ partition: 1, replace: [] });
  });

  test('waits while the set becomes smaller', () => {
    const shrinking = released([a, b, c], { intended: { isShrinking: true } });
    expect(shrinking).toMatchObject({ holdUpTo: 2, closed: { step: 'AwaitingReplacement' } });
  });

  test('that goes back is deleted where it is its turn before a higher one', () => {
    const can = { role: false, sync: true, handoff: false };
    const rollout = { can, hasRun: true, catchingUp: [{ ordinal: 1, podUID: 'gone' }], answer: no };
    const back = released(all({ revision: 'newer' }), { set: { held: 'new' }, rollout });
    expect(back).toMatchObject({ holdUpTo: 2, replace: [{ ordinal: 1 }] });
  });
});

describe('members that go with another one, as they can’t be held', () => {
  const rollout = { gates: [{ name: 'lag', target: 'Self' }] as const };
  const intended = { canHoldBelow: () => false };
  const answer: RolloutObservation['answer'] = (question) => (question.of.uid === b.uid ? no() : yes());

  test('are asked before the first of them goes', () => {
    expect(released([a, b, c], { rollout: { ...rollout, answer: yes }, intended }).partition).toBe(0);
    const closed = released([a, b, c], { rollout: { ...rollout, answer }, intended });
    expect(closed).toMatchObject({ holdUpTo: 2, closed: { step: 'AwaitingGate', member: b, release: 'gate' } });
  });

  test('are not asked where a user has opened their gates', () => {
    const opened = released([a, b, c], { rollout: { ...rollout, answer, openedFor: [b.uid] }, intended });
    expect(opened.closed).toBeUndefined();
    expect(opened.partition).toBe(0);
  });
});

describe('a set that is to become smaller', () => {
  const shrunk = (rollout: Partial<RolloutObservation>, members: readonly Member[] = [a, b, c]) =>
    shrinkThroughGates(seen([...members], { wantedReplicas: 1, ...rollout }), now);

  test('loses one member at a time, when its gates are open', () => {
    expect(shrunk({ gates, answer: yes })).toMatchObject({ replicas: 2 });
    expect(shrunk({ gates, answer: no })).toMatchObject({ replicas: 3, closed: { step: 'AwaitingGate' } });
    expect(shrunk({ gates })).toMatchObject({ replicas: 3, ask: [{ about: 'gate' }, { about: 'gate' }] });
  });

  test('loses one that has not served for long without a question, and nothing where it has its size', () => {
    expect(shrunk({ gates, answer: no }, [a, b, member(2, broken)])).toMatchObject({ replicas: 2 });
    expect(shrunk({ wantedReplicas: 3 })).toBeUndefined();
  });
});
