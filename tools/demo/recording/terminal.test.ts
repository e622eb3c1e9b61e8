import { expect, test } from 'vitest';
import { framesOf, Terminal } from './terminal.ts';

const textOf = (lines: ReturnType<Terminal['lines']>): readonly string[] =>
  lines.map((spans) => spans.map(({ text }) => text).join(''));

test('what is below the cursor is erased and drawn again', () => {
  const terminal = new Terminal(20);
  terminal.write('one\r\ntwo\r\n');
  terminal.write('\u001b[1A\r\u001b[Jline\r\ntwo\r\n');
  expect(textOf(terminal.lines())).toEqual(['one', 'line', 'two']);
});

test('a line that is too long goes on in the next', () => {
  const terminal = new Terminal(4);
  terminal.write('abcdef\r\n');
  expect(textOf(terminal.lines())).toEqual(['abcd', 'ef']);
});

test('text keeps its color', () => {
  const terminal = new Terminal(20);
  terminal.write('it is \u001b[32mgood\u001b[0m');
  expect(terminal.lines()).toEqual([
    [
      { code: 0, text: 'it is ' },
      { code: 32, text: 'good' },
    ],
  ]);
});

test('an unknown control sequence is refused', () => {
  expect(() => new Terminal(20).write('\u001b[2K')).toThrow('control sequence K');
});

test('output of nearly one time is one frame', () => {
  const events = [
    { seconds: 1, text: 'a\r\n' },
    { seconds: 1.01, text: 'b\r\n' },
    { seconds: 2, text: 'c\r\n' },
  ];
  const frames = framesOf({ columns: 20, rows: 5, events });
  expect(frames.map(({ seconds, lines }) => [seconds, ...textOf(lines)])).toEqual([
    [1, 'a', 'b'],
    [2, 'a', 'b', 'c'],
  ]);
});
