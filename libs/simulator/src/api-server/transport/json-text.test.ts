import { expect, it } from 'vitest';
import { bodySummary, readJson } from './json-text.ts';

const problemOf = (text: string | Uint8Array): string => {
  try {
    readJson(text);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

it.each([
  ['', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1]', "invalid character ']' after object key:value pair"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e', "invalid character ' ' in exponent of numeric literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\t"', "invalid character '\\t' in string literal"],
  ['{}x', "invalid character 'x' after top-level value"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
])('says of %j what Go says', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

it('reads what is nested 10,000 deep, and nothing deeper', () => {
  expect(problemOf('['.repeat(10_000) + ']'.repeat(10_000))).toBe('none');
  expect(problemOf('['.repeat(10_001) + ']'.repeat(10_001))).toBe("invalid character '[' exceeded max depth");
});

it('replaces half a surrogate pair, in keys too', () => {
  expect(readJson('{"\\ud800":["\\udc00","\\ud83d\\ude00"]}')).toEqual({ '\ufffd': ['\ufffd', '😀'] });
});

it('quotes the beginning of a body: as text where it may be an object, in hexadecimal otherwise', () => {
  expect(bodySummary('')).toBe('<empty>');
  expect(bodySummary('{"a":1}')).toBe('{"a":1}');
  expect(bodySummary('[]')).toBe('5b5d');
  expect(bodySummary(`{"key":"${'x'.repeat(40)}"}`)).toBe(`{"key":"${'x'.repeat(22)} ...`);
});
