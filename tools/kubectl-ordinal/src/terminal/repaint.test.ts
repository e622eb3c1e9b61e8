import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { Repaint } from './repaint.ts';

const screen = (isTerminal: boolean) => {
  const written: string[] = [];
  return {
    written,
    repaint: new Repaint({ out: (text) => void written.push(text), isTerminal, columns: 10, rows: 4 }),
  };
};

test('a terminal is drawn over, and no line or picture is larger than it', () => {
  const { written, repaint } = screen(true);
  repaint.draw(['\u001b[31m12345678901234\u001b[39m', 'two', 'three', 'four']);
  repaint.draw(['one']);
  expect(stripVTControlCharacters(written[0] ?? '')).toBe('123456789…\ntwo\nthree\n');
  expect(written[1]).toBe('\u001b[3A\u001b[2Kone\n\u001b[0J');
});

test('elsewhere each picture that differs follows the last one', () => {
  const { written, repaint } = screen(false);
  repaint.draw(['one']);
  repaint.draw(['one']);
  repaint.draw(['two']);
  expect(written.join('')).toBe('one\n\ntwo\n\n');
});

test('a text of several lines is as high as it is, and moves no cursor', () => {
  const { written, repaint } = screen(true);
  repaint.draw(['a\nb', '\u001b[9A']);
  repaint.draw(['one']);
  expect(written[0]).toBe('\u001b[2Ka\n\u001b[2Kb\n\u001b[2K\\x1b[9A\n\u001b[0J');
  expect(written[1]).toContain('\u001b[3A');
});
