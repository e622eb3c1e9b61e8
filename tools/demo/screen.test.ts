import { expect, test } from 'vitest';
import { Screen } from './screen.ts';

function screenOn({ isLive, columns = 20 }: { readonly isLive: boolean; readonly columns?: number }): {
  readonly screen: Screen;
  readonly written: () => string;
} {
  let written = '';
  const terminal = { write: (text: string) => void (written += text), isLive, hasColours: isLive, columns };
  return { screen: new Screen(terminal, () => 1.25), written: () => written };
}

test('a log gets plain lines: no colours, no panel', () => {
  const { screen, written } = screenOn({ isLive: false });
  screen.panel(['now']);
  screen.line('cache', 'it happened', 'good');
  expect(written()).toBe('  1.3 s  cache      it happened\n');
});

test('at a terminal the panel stays below the lines', () => {
  const { screen, written } = screenOn({ isLive: true, columns: 80 });
  screen.panel(['one', 'two']);
  screen.line('cache', 'it happened');
  expect(written()).toBe('one\ntwo\n\u001b[2A\r\u001b[J  1.3 s  cache      it happened\none\ntwo\n');
});

test('a panel’s line never wraps', () => {
  const { screen, written } = screenOn({ isLive: true });
  screen.panel(['x'.repeat(50)]);
  expect(written()).toBe(`${'x'.repeat(19)}\n`);
});

test('a panel that has not changed is not drawn anew', () => {
  const { screen, written } = screenOn({ isLive: true });
  screen.panel(['same']);
  screen.panel(['same']);
  expect(written()).toBe('same\n');
});

test('a table’s row ends where the terminal’s line does; a log has all of it', () => {
  const live = screenOn({ isLive: true });
  live.screen.row('x'.repeat(50));
  expect(live.written()).toBe(`${'x'.repeat(19)}…\n`);
  const log = screenOn({ isLive: false });
  log.screen.row('x'.repeat(50));
  expect(log.written()).toBe(`${'x'.repeat(50)}\n`);
});

test('at a terminal a long line goes on below its first words', () => {
  const { screen, written } = screenOn({ isLive: true, columns: 32 });
  screen.line('cache', 'waits for a gate');
  expect(written()).toBe(`  1.3 s  cache      waits for a\n${' '.repeat(20)}gate\n`);
});
