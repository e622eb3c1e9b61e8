import { describe, expect, test } from 'vitest';
import { member, now } from '../../test/rollout/seen.ts';
import { advanceOf, updatedOf } from './advance.ts';

const before = now - 60_000;
const aim = { revision: 'new', replicas: 3 };
const updated = (ordinal: number) => member(ordinal, { revision: 'new' });
const outdated = (ordinal: number) => member(ordinal, { revision: 'old' });
const unready = (ordinal: number) => member(ordinal, { revision: 'new', ready: false });

describe('how far members have come', () => {
  test.each([
    ['one more', 1, [outdated(0), updated(1), updated(2)], 2, now],
    ['one that is away', 2, [outdated(0), updated(1)], 2, before],
    ['one that is not ready', 2, [outdated(0), updated(1), unready(2)], 2, before],
    ['one that has come back', 2, [outdated(0), updated(1), updated(2)], 2, before],
    ['those that came first were taken away', 3, [outdated(0), outdated(1), unready(2)], 0, before],
    ['one that came after them', 0, [outdated(0), outdated(1), updated(2)], 1, now],
    ['one that is to be no member', 0, [outdated(0), outdated(1), outdated(2), updated(3)], 0, before],
  ] as const)('%s', (_what, max, members, ...[count, at]) => {
    const advance = advanceOf({ updated: max, lastProgressAt: before }, members, aim, now);
    expect(advance).toEqual({ updated: count, lastProgressAt: at });
  });

  test('counts from now where it is recorded to have been later, as the clock was set back', () => {
    const recorded = { updated: 2, lastProgressAt: now + 60_000 };
    expect(advanceOf(recorded, [outdated(0), updated(1)], aim, now)).toEqual({ updated: 2, lastProgressAt: now });
  });

  test('is counted by members that serve as they should', () => {
    expect(updatedOf([outdated(0), unready(1), updated(2), updated(3)], aim)).toBe(1);
  });
});
