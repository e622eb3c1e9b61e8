import { expect, it } from 'vitest';
import { Beginning, readBody } from './body-reader.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it('keeps the beginning, and says when it has enough', () => {
  const reader = new Beginning(5);
  expect(['ab', '', 'cd'].map((text) => reader.push(bytes(text)))).toEqual([true, true, true]);
  expect(reader.push(bytes('efg'))).toBe(false);
  expect(reader.push(bytes('h'))).toBe(false);
  expect(reader.text()).toBe('abcde');
});

it('copies what it keeps, so that nothing else of what came stays in memory', () => {
  const reader = new Beginning(8);
  const large = Buffer.alloc(1 << 16, 'x');
  reader.push(large.subarray(0, 4));
  large.fill('y');
  expect(reader.text()).toBe('xxxx');
});

it('takes no more memory than twice what it keeps', () => {
  const reader = new Beginning(Number.POSITIVE_INFINITY);
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 1_000; count += 1) reader.push(bytes('x'.repeat(1_000)));
  expect(reader.text()).toHaveLength(1_000_000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
});

it('leaves a body whose reader has enough', async () => {
  let left = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield await Promise.resolve(bytes('ab'));
    } finally {
      left = true;
    }
  }
  expect(await readBody(endless(), new Beginning(3))).toBe('aba');
  expect(left).toBe(true);
});

it.each([
  ['a large piece', [Buffer.alloc(1 << 20)]],
  ['many small pieces', Array.from({ length: 4_096 }, () => Buffer.alloc(1))],
])('gives other work its turn while it reads %s', async (_what, pieces) => {
  let [bytes, count, turns] = [0, 0, 0];
  let [maxBytes, maxPieces] = [0, 0];
  let goesOn = true;
  const turn = (): void => {
    turns += 1;
    [maxBytes, maxPieces] = [Math.max(maxBytes, bytes), Math.max(maxPieces, count)];
    [bytes, count] = [0, 0];
    if (goesOn) setImmediate(turn);
  };
  setImmediate(turn);
  const reader = {
    push: (chunk: Uint8Array) => ((bytes += chunk.length), (count += 1), true),
    text: () => 'read',
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  }
  expect(await readBody(body(), reader)).toBe('read');
  goesOn = false;
  await new Promise((resolve) => setImmediate(resolve));
  // Two slices may fall into one turn, where the first of them ends a breath.
  expect(maxBytes).toBeLessThanOrEqual(2 * 16_384);
  expect(maxPieces).toBeLessThanOrEqual(256);
  expect(turns).toBeGreaterThan(16);
});
