import { expect, test } from 'vitest';
import { print } from './output.ts';

const printed = (isTerminal: boolean): string => {
  let out = '';
  const world = { isTerminal, columns: 20, out: (text: string) => void (out += text) };
  print(world, 'text', { data: undefined, lines: () => ['waits for the gate of replication', 'short'] });
  return out;
};

test('at a terminal, a long line is broken between words; elsewhere it stays whole', () => {
  expect(printed(true)).toBe('waits for the gate \nof replication\nshort\n');
  expect(printed(false)).toBe('waits for the gate of replication\nshort\n');
});
