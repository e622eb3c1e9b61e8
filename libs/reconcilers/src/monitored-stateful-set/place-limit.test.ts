import { expect, test } from 'vitest';
import { isOneTooMany, recordable } from './place-limit.ts';

const places = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ endpoint: `http://${index}`, token: `u-${index}`, incarnation: 1 }));
const record = { endpoint: 'http://new', token: 'u-99', incarnation: 1 };

test('a place that a restore may have lost has a room of its own, once', () => {
  const set = (count: number) => ({ status: { registrations: places(count) } });
  const isTooMany = (count: number) =>
    [undefined, record].map((known) => isOneTooMany({ endpoint: 'http://new', record: known }, set(count)));
  expect([15, 16, 17].map(isTooMany)).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
  expect(isOneTooMany({ endpoint: 'http://3', record: undefined }, set(17))).toBe(false);
});

test('a status takes seventeen records, and none that it has gives way', () => {
  expect(recordable([record, ...places(16)], places(16))).toHaveLength(17);
  expect(recordable([record, ...places(17)], places(17))).toEqual(places(17));
});
