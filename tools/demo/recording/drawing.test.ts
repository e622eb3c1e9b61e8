import { describe, expect, test } from 'vitest';
import { dark, drawing, light } from './drawing.ts';
import type { Frame, Span } from './terminal.ts';

const plain = (text: string): readonly Span[] => [{ code: 0, text }];
const frames: readonly Frame[] = [
  { seconds: 0, lines: [plain('plain <text>'), plain('table')] },
  { seconds: 6, lines: [plain('plain <text>'), [...plain('all '), { code: 32, text: 'good & done' }], plain('table')] },
];
const drawn = drawing(frames, { columns: 80, rows: 2, title: 'a demo' });

describe('the drawing of a recording', () => {
  test('shows a line from its time on, and ends with what is there at the end', () => {
    // Six seconds of ten: the last frame stays for four.
    expect(drawn).toMatch(
      /\.i0\{animation-name:i0;visibility:hidden\}.*0%\{visibility:visible\}60%\{visibility:hidden\}/,
    );
    expect(drawn).toMatch(/\.i1\{animation-name:i1\}@keyframes i1\{0%\{visibility:visible\}\}/);
    expect(drawn).toMatch(/\.i2\{animation-name:i2\}@keyframes i2\{0%\{visibility:hidden\}60%\{visibility:visible\}\}/);
  });

  test('shows the newest lines, as many as there are rows', () => {
    expect(drawn).toContain('@keyframes s{0%{transform:translateY(0px)}60%{transform:translateY(-18px)}}');
  });

  test('keeps colors and escapes what XML would take for its own', () => {
    expect(drawn).toContain('plain &lt;text&gt;');
    expect(drawn).toContain('all <tspan class="c32">good &amp; done</tspan>');
  });

  test.each([
    ['light', light],
    ['dark', dark],
  ])('reads well in %s: each color has a contrast of 4.5 and more', (_, { background, colours }) => {
    for (const colour of Object.values(colours)) expect(contrast(colour, background)).toBeGreaterThanOrEqual(4.5);
  });
});

/** The contrast of two colors. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
