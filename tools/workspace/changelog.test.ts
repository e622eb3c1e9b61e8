import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const lines = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8').split('\n');

/** The sections of Keep a Changelog 1.1.0. */
const sections: ReadonlySet<string> = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);

const longest = 320;

describe('the changelog', () => {
  test('begins with what is not released, in the sections of Keep a Changelog', () => {
    expect(lines.find((line) => line.startsWith('## '))).toBe('## [Unreleased]');
    const named = lines.filter((line) => line.startsWith('### ')).map((line) => line.slice(4));
    expect(named.filter((name) => !sections.has(name))).toEqual([]);
  });

  test('has one line for each change, without how it was found', () => {
    const start = lines.findIndex((line) => line.startsWith('### '));
    const entries = lines.slice(start).filter((line) => line !== '' && !line.startsWith('#'));
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.filter((line) => !line.startsWith('- ') || line.length > longest)).toEqual([]);
    expect(entries.filter((line) => /found by|second reader/.test(line))).toEqual([]);
  });
});
