import { expect, test } from 'vitest';
import { cacheOf, childrenOf, decided, podOf, seenOf, silent } from '../../test/clustered-cache/seen.ts';
import { decideClusteredCache } from '../clustered-cache/decide.ts';
import { keptReplicas } from './kept-replicas.ts';
import { membersOf } from '../clustered-cache/members.ts';

const five = cacheOf({ replicas: 5 });
const two = (status: object = { currentRevision: 'r' }) => cacheOf({ replicas: 2 }, { status });
const lost = { ...childrenOf(five), set: undefined };
const orphan = (ordinal: number, change: { name?: string; deletionTimestamp?: string; annotations?: object } = {}) =>
  podOf(ordinal, five, { metadata: { ownerReferences: [], ...change } });

test.each<[string, ReturnType<typeof seenOf>, number]>([
  ['what the StatefulSet keeps, before the gates have let anybody go', seenOf(two(), five), 5],
  ['what the spec asks for, where that is more', seenOf(five, two()), 5],
  [
    'what a reduction has not taken away, whatever size another client has given the StatefulSet',
    seenOf(two({ shrinkingFrom: 4 }), two(), { pods: [0, 1, 2, 3, 4].map((ordinal) => podOf(ordinal, two())) }),
    4,
  ],
  [
    'what is left of a StatefulSet that is lost',
    seenOf(two(), five, { children: lost, pods: [orphan(0), orphan(4)] }),
    5,
  ],
  ['what says that it still belongs to it', seenOf(two(), five, { children: lost, pods: [podOf(4, five)] }), 5],
  [
    'no more for a new cache by members of an earlier one, which go with their StatefulSet',
    seenOf(two({}), five, { children: lost, pods: [podOf(4, five)] }),
    2,
  ],
  [
    'what the reduction has come to, whoever is away',
    seenOf(two({ shrinkingFrom: 4 }), five, { children: lost, pods: [orphan(0)] }),
    4,
  ],
  [
    'no more by one that ends',
    seenOf(two(), five, { children: lost, pods: [orphan(4, { deletionTimestamp: '2026-01-01T00:00:00Z' })] }),
    2,
  ],
  [
    'no more by a pod that was never made as a member',
    seenOf(two(), five, { children: lost, pods: [orphan(4, { annotations: {} })] }),
    2,
  ],
  [
    'no more by a pod of another name',
    seenOf(two(), five, { children: lost, pods: [orphan(4, { name: 'sessions-x4' })] }),
    2,
  ],
])('a cache keeps %s', (_what, seen, expected) => {
  expect(keptReplicas(membersOf(seen))).toBe(expected);
});

test('a reduction that waits is recorded as far as it has come, and forgotten when it is done', () => {
  const pods = [0, 1, 2, 3, 4].map((ordinal) => podOf(ordinal, five));
  expect(decided(seenOf(two(), five, { pods })).status?.shrinkingFrom).toBe(4);
  const three = cacheOf({ replicas: 3 });
  expect(decided(seenOf(two(), three)).status?.shrinkingFrom).toBeUndefined();
});

test('a member that is to leave and is not seen leaves only where the API server does not see it either', () => {
  const three = cacheOf({ replicas: 3 });
  const seen = seenOf(two(), three, { pods: [podOf(0, three), podOf(1, three)], isConfirmed: false });
  expect(decideClusteredCache(seen, silent)).toEqual({ confirm: true });
  expect(decided({ ...seen, isConfirmed: true }).actions).toEqual(['apply StatefulSet shop/sessions']);
  const unclaimed = podOf(2, three, { metadata: { ownerReferences: [] } });
  expect(decided({ ...seen, pods: [...seen.pods, unclaimed], isConfirmed: true }).actions).toEqual([]);
});

test('a StatefulSet that is not seen is made only for what the API server says', () => {
  const seen = seenOf(two(), five, { children: lost, pods: [], isConfirmed: false });
  expect(decideClusteredCache(seen, silent)).toEqual({ confirm: true });
});
