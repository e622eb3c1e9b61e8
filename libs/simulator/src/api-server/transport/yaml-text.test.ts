import { expect, it } from 'vitest';
import { readYamlText } from './yaml-text.ts';

const read = (text: string): unknown => readYamlText(text).value;

it('reads words and numbers as Go does', () => {
  expect(read('[yes, Off, y, N, on, TRUE, oN, "yes"]')).toEqual([true, false, true, false, true, true, 'oN', 'yes']);
  expect(read('[0777, 0x1F, 0b101, 0o17, 1_000, +5, -010, 08, 1:30]')).toEqual([
    511,
    31,
    5,
    15,
    1000,
    5,
    -8,
    8,
    '1:30',
  ]);
  expect(read('[.5, 5., 1e3, 1_0.5, .inf.]')).toEqual([0.5, 5, 1000, 10.5, '.inf.']);
  expect(read('a: &a {b: 1}\nc:\n  <<: *a\n  d: 2\n')).toEqual({ a: { b: 1 }, c: { b: 1, d: 2 } });
});

it('names a key that is there twice as Go prints it', () => {
  expect(readYamlText('on: 1\ny: 2\n').repeated).toEqual(['line 2: key true already set in map']);
  expect(readYamlText('a: 1\na: 2\n').repeated).toEqual(['line 2: key "a" already set in map']);
});
