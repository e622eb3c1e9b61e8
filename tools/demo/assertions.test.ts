import { expect, test } from 'vitest';
import { Assertions } from './assertions.ts';

test('all hold only where something was asserted', () => {
  expect(new Assertions().allHold).toBe(false);
});

test('one that does not hold is enough, and the table says which', () => {
  const assertions = new Assertions();
  assertions.check('one', true, '1');
  assertions.check('another', false, 'nothing');
  expect(assertions.allHold).toBe(false);
  expect(assertions.table()).toEqual(['ok      one      1', 'FAILED  another  nothing']);
});
