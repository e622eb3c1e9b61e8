import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

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
