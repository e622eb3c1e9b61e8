import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyIntegrity } from './node.ts';
import { isProcessor, ownProcessor } from './processors.ts';

describe('Node for another processor', () => {
  test('is taken only with the bytes that were reviewed', () => {
    const bytes = Buffer.from('program');
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    expect(() => verifyIntegrity('node', bytes, integrity)).not.toThrow();
    expect(() => verifyIntegrity('node', Buffer.from('programs'), integrity)).toThrow(/needs its new integrity/);
  });

  test('is of a processor that images are made for', () => {
    expect([ownProcessor('x64'), ownProcessor('arm64')]).toEqual(['amd64', 'arm64']);
    expect(() => ownProcessor('riscv64')).toThrow('no image can be made for riscv64');
    expect(isProcessor('toString')).toBe(false);
  });
});
