import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyIntegrity } from './node.ts';
import { isProcessor, nodeVersion, ownProcessor } from './processors.ts';

describe('Node for another processor', () => {
  test('is taken only with the bytes that were reviewed', () => {
    const bytes = Buffer.from('program');
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    expect(() => verifyIntegrity('node', bytes, integrity)).not.toThrow();
    expect(() => verifyIntegrity('node', Buffer.from('programs'), integrity)).toThrow(
      /is not what processors.ts names/,
    );
  });

  test('is of the version that the workspace runs on: another one needs its integrities in processors.ts', () => {
    const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    expect(nodeVersion).toBe(lock.packages['node_modules/node']?.version);
  });

  test('is of a processor that images are made for', () => {
    expect([ownProcessor('x64'), ownProcessor('arm64')]).toEqual(['amd64', 'arm64']);
    expect(() => ownProcessor('riscv64')).toThrow('no image can be made for riscv64');
    expect(isProcessor('toString')).toBe(false);
  });
});
