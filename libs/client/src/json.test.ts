import { describe, expect, it } from 'vitest';
import { parseJson, writeJson } from './json.ts';

describe('JSON with large integers', () => {
  it('keeps what a number can not hold', () => {
    expect(
      parseJson('{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615,"d":9007199254740991}'),
    ).toEqual({
      a: 9007199254740993n,
      b: -9223372036854775808n,
      c: 18446744073709551615n,
      d: 9007199254740991,
    });
  });

  it('leaves strings, fractions and what the server itself rounds as they are', () => {
    expect(parseJson('["12345678901234567890",0.1234567890123456,1e300,100000000000000000000000]')).toEqual([
      '12345678901234567890',
      0.1234567890123456,
      1e300,
      1e23,
    ]);
  });

  it('finds them wherever they stand', () => {
    expect(parseJson(' 9007199254740993')).toBe(9007199254740993n);
    expect(parseJson('{"a" : [ 1,\n\t-9007199254740993 ] }')).toEqual({ a: [1, -9007199254740993n] });
  });

  it('writes back what it read', () => {
    const text = '{"a":9007199254740993,"b":[1,"x"]}';
    expect(writeJson(parseJson(text))).toBe(text);
  });

  it('does not hide a cycle', () => {
    const cycle: Record<string, unknown> = { big: 1n };
    cycle['self'] = cycle;
    expect(() => writeJson(cycle)).toThrow(TypeError);
  });
});
