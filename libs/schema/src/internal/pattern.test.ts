import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';
import { processorTime } from '../../test/processor-time.ts';

describe('compilePattern', () => {
  it.each([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$', 'a.b-c', 'a..b'],
    ['^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))$', '-1.5', '1.5.'],
    ['^[^\\s]+$', 'a\u00a0b', 'a b'],
    ['^.$', '\r', '\n'],
    ['^a.c$', 'a😀c', 'a\nc'],
    ['(?i)^abc$', 'ABC', 'abd'],
    ['^[[:alpha:]]+$', 'ab', 'a1'],
    ['^\\d{2,3}\\z', '12', '12\n'],
    ['^\\p{Greek}$', 'λ', 'l'],
    ['a\\-b', 'a-b', 'a_b'],
  ])('reads %s as Go does', (pattern, good, bad) => {
    expect(compilePattern(pattern)(good)).toBe(true);
    expect(compilePattern(pattern)(bad)).toBe(false);
  });

  it('takes linear time where a backtracking engine would not end', () => {
    const test = compilePattern('^(a+)+$');
    expect(test('a'.repeat(100) + 'b')).toBe(false);
    expect(compilePattern('^(a|a)*$')('a'.repeat(100) + 'b')).toBe(false);
  });

  it('refuses what RE2 refuses', () => {
    expect(() => compilePattern('(?=a)')).toThrow();
    expect(() => compilePattern('a{1001}')).toThrow();
    expect(() => compilePattern('(a')).toThrow();
  });
});

describe('patterns that backtrack', () => {
  it.each([
    ['^a*a*a*a*a*a*a*a*a*a*b$', 'a'.repeat(200)],
    ['^(\\.[a-z]*[a-z]*)*!$', '.aaaaa'.repeat(40)],
    ['^(\\.a?a?)*!$', '.a'.repeat(120)],
    [
      '(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?(a|b)?!',
      'ab'.repeat(100),
    ],
    ['[a-z]*[a-z]*[a-z]*x', 'a'.repeat(256)],
  ])('%s takes no longer than a blink', (pattern, text) => {
    const started = processorTime();
    expect(compilePattern(pattern)(text)).toBe(false);
    expect(processorTime() - started).toBeLessThan(500);
  });

  it('are not read beyond a length', () => {
    expect(() => compilePattern('w'.repeat(10_001))).toThrow('a pattern of 10001 characters is not supported');
  });
});
