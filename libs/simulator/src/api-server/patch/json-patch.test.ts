import { expect, it } from 'vitest';
import { Refusal } from '../status.ts';
import { jsonPatch } from './json-patch.ts';

const codeOf = (patch: unknown): number => {
  try {
    jsonPatch({ data: { key: 'value' } }, patch);
    return 200;
  } catch (error) {
    if (error instanceof Refusal) return error.status.code ?? 0;
    throw error;
  }
};

it('refuses copies that would double a document again and again', () => {
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/x', path: '/x/-' }));
  expect(codeOf([{ op: 'add', path: '/x', value: ['many'] }, ...doubling])).toBe(422);
});

it('refuses more operations than the server takes', () => {
  const test = { op: 'test', path: '/data/key', value: 'value' };
  expect(codeOf(Array.from({ length: 10_001 }, () => test))).toBe(413);
});

it('reaches no prototype', () => {
  for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted', '/data/__proto__'])
    expect(codeOf([{ op: 'add', path, value: 'x' }])).toBe(501);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('copies null from where nothing is, and finds null there', () => {
  const patched = jsonPatch({ data: {} }, [
    { op: 'test', path: '/data/none', value: null },
    { op: 'copy', from: '/data/none', path: '/data/copied' },
  ]);
  expect(patched).toEqual({ data: { copied: null } });
});

it('refuses what are no operations', () => {
  expect(codeOf({})).toBe(400);
  expect(codeOf([1])).toBe(400);
  expect(codeOf([null])).toBe(422);
  expect(codeOf([{ op: 'add' }])).toBe(422);
});
