import { expect, test } from 'vitest';
import { Screen } from './screen.ts';

function screenOn({ isLive }: { readonly isLive: boolean }): {
  readonly screen: Screen;
  readonly written: () => string;
} {
  let written = '';
  const terminal = { write: (text: string) => void (written += text), isLive, hasColours: isLive, columns: 20 };
  return { screen: new Screen(terminal, () => 1.25), written: () => written };
}

test('a log gets plain lines: no colours, no panel', () => {
  const { screen, written } = screenOn({ isLive: false });
  screen.panel(['now']);
  screen.line('cache', 'it happened', 'good');
  expect(written()).toBe('  1.3 s  cache      it happened\n');
});

test('at a terminal the panel stays below the lines', () => {
  const { screen, written } = screenOn({ isLive: true });
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
