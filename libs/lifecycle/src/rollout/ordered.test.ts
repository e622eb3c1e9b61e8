import { expect, test } from 'vitest';
import { a, all, b, broken, c, current, idling, member, now, reported, seen } from '../../test/rollout/seen.ts';
import type { RolloutObservation } from './index.ts';

const young = member(2, { ...current, since: now - 1_000 });
const minReadyMs = 60_000;

test.each<[string, RolloutObservation, string]>([
  [
    'a broken member is replaced although one above it is missing, which the set makes only then',
    seen([a, member(1, broken)], { isOrdered: true }),
    'AwaitingReplacement cache-1, delete cache-1',
  ],
  [
    'a broken member waits for one below it, which the set makes first',
    seen([member(1, broken), c], { isOrdered: true }),
    'AwaitingReplacement -',
  ],
])('where members are made in order, %s', (_what, observation, expected) => {
  expect(reported(observation)).toBe(expected);
});

test.each<[string, RolloutObservation, string]>([
  ['the next one waits until it has been', seen([a, b, young], { minReadyMs }), 'AwaitingReady cache-2'],
  [
    'the upgrade is not over before',
    seen([...all(current).slice(0, 2), young], { minReadyMs }),
    'AwaitingReady cache-2',
  ],
  [
    'a set that is created waits for nothing more',
    idling([...all(current).slice(0, 2), young], { minReadyMs }),
    'settled',
  ],
  [
    'the next one goes when it has been',
    seen([a, b, member(2, { ...current, since: now - minReadyMs })], { minReadyMs }),
    'Holding cache-1, add hold cache-1',
  ],
])('where a member has to be ready for a while, %s', (_what, observation, expected) => {
  expect(reported(observation)).toBe(expected);
});

test('where members are not held, the next one is deleted as soon as its gates are open', () => {
  expect(reported(seen([a, b, c], { finalizer: '' }))).toBe('TakingDown cache-2, delete cache-2');
});
