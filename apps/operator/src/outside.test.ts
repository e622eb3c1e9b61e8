import { expect, test } from 'vitest';
import { partOf } from './outside.ts';

test('replicas that share the work share the limit of an account, as the work moves', () => {
  let share = 0.25;
  const limit = partOf({ perSecond: 8, burst: 8 }, () => share);
  expect([limit.perSecond, limit.burst]).toEqual([2, 2]);
  share = 1 / 16;
  expect([limit.perSecond, limit.burst]).toEqual([0.5, 1]);
  share = 1;
  expect([limit.perSecond, limit.burst]).toEqual([8, 8]);
});

test('what is under way when a replica has no share any more comes to its end', () => {
  expect(partOf({ perSecond: 8, burst: 8 }, () => 0).perSecond).toBe(8);
});
