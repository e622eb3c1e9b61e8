import { expect, test } from 'vitest';
import { print } from './output.ts';
import { colored } from './terminal/style.ts';

const printed = (
  isTerminal: boolean,
  lines: readonly string[] = ['waits for the gate of replication', 'short'],
): string => {
  let out = '';
  const world = { isTerminal, columns: 20, out: (text: string) => void (out += text) };
  print(world, 'text', { data: undefined, lines: () => lines });
  return out;
};

test('at a terminal, a long line is broken between words; elsewhere it stays whole', () => {
  expect(printed(true)).toBe('waits for the gate \nof replication\nshort\n');
  expect(printed(false)).toBe('waits for the gate of replication\nshort\n');
});

test('what others have written moves no cursor and hides nothing; colors of the program stay', () => {
  const evil = 'Evil\u001b[1A\u001b[2Know\r\u001b[8mthen\u009b0J\u0007';
  const lines = [evil, `${colored('bad', 'failed')} ${colored('strong', 'c')}`, 'two\nlines'];
  expect(printed(false, lines)).toBe(
    [
      'Evil\\x1b[1A\\x1b[2Know\\x0d\\x1b[8mthen\\x9b0J\\x07',
      '\u001b[31mfailed\u001b[39m \u001b[1mc\u001b[22m',
      'two\nlines\n',
    ].join('\n'),
  );
  expect(printed(true, [evil])).not.toContain('\u001b');
});
