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
