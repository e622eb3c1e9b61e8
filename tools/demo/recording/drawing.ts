import type { Frame, Span } from './terminal.ts';

/** The colors of a terminal's theme: its background, and those of the codes that the demo uses. */
export interface Theme {
  readonly background: string;
  readonly border: string;
  readonly colours: Readonly<Record<number, string>>;
}

/** A theme for pages that are light. */
export const light: Theme = {
  background: '#ffffff',
  border: '#d0d7de',
  colours: { 0: '#424a53', 1: '#1f2328', 2: '#6e7781', 31: '#cf222e', 32: '#1a7f37', 33: '#8a5a00', 36: '#0969da' },
};
/** A theme for pages that are dark. */
export const dark: Theme = {
  background: '#0d1117',
  border: '#30363d',
  colours: { 0: '#c9d1d9', 1: '#ffffff', 2: '#8b949e', 31: '#f47067', 32: '#8ddb8c', 33: '#e0b85c', 36: '#76c7e6' },
};

const size = { font: 13, line: 18, character: 7.83, margin: 16 } as const;
/** How long the last frame stays before all begins again, in seconds. */
const restSeconds = 4;

interface Shape {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

/**
 * An SVG that plays what the terminal showed, again and again, in the theme that the reader prefers. The newest lines are shown, as many as there are rows. Where
 * nothing is animated, the last frame is there.
 */
export function drawing(frames: readonly Frame[], { columns, rows, title }: Shape): string {
  const total = (frames.at(-1)?.seconds ?? 0) + restSeconds;
  const percent = (seconds: number): string => `${Number(((100 * seconds) / total).toFixed(2))}%`;
  const width = Math.ceil(columns * size.character) + 2 * size.margin;
  const inside = rows * size.line;
  const height = inside + 2 * size.margin;
  const shown = intervalsOf(frames);
  const rules = [...shown.keys()].map((key, index) => rule(key, { name: `i${index}`, percent }));
  const groups = [...shown.values()].map((texts, index) => `<g class="i${index}">${texts.join('')}</g>`);
  const scrolls = frames.map(({ seconds, lines }) => `${percent(seconds)}{transform:${shift(lines.length - rows)}}`);
  const rest = shift((frames.at(-1)?.lines.length ?? 0) - rows);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">
<title>${escaped(title)}</title>
<style>
text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
${themeRules(dark)}
@media (prefers-color-scheme:light){${themeRules(light)}}
g{animation:${total.toFixed(2)}s step-end infinite}
.s{animation-name:s;transform:${rest}}
@keyframes s{${scrolls.join('')}}
${rules.join('\n')}
@media (prefers-reduced-motion:reduce){g{animation:none}}
</style>
<rect class="background" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<svg x="${size.margin}" y="${size.margin}" width="${width - size.margin}" height="${inside}"><g class="s">
${groups.join('\n')}
</g></svg>
</svg>
`;
}

const shift = (lines: number): string => `translateY(${-size.line * Math.max(0, lines)}px)`;

const themeRules = ({ background, border, colours }: Theme): string =>
  [
    `.background{fill:${background};stroke:${border}}`,
    ...Object.entries(colours).map(([code, colour]) => `.c${code}{fill:${colour}}`),
  ].join('');

/** Shows a group from one time to another; what has no end is there when nothing is animated. */
function rule(key: string, { name, percent }: { name: string; percent: (seconds: number) => string }): string {
  const [from = 0, to = Infinity] = key.split(' ').map(Number);
  const isLast = to === Infinity;
  const before = from === 0 ? '' : '0%{visibility:hidden}';
  const after = isLast ? '' : `${percent(to)}{visibility:hidden}`;
  const frames = `@keyframes ${name}{${before}${percent(from)}{visibility:visible}${after}}`;
  return `.${name}{animation-name:${name}${isLast ? '' : ';visibility:hidden'}}${frames}`;
}

/** The texts that are shown from one time to another, by these times. */
function intervalsOf(frames: readonly Frame[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const open = new Map<number, { readonly text: string; readonly from: number }>();
  const close = (row: number, to: number): void => {
    const one = open.get(row);
    open.delete(row);
    if (one === undefined || one.text === '') return;
    const key = `${one.from} ${to}`;
    found.set(key, [...(found.get(key) ?? []), one.text]);
  };
  for (const { seconds, lines } of frames) {
    for (let row = 0; row < Math.max(lines.length, ...open.keys(), 0) + 1; row += 1) {
      const text = textOf(lines[row] ?? [], row);
      if (open.get(row)?.text === text) continue;
      close(row, seconds);
      open.set(row, { text, from: seconds });
    }
  }
  for (const row of [...open.keys()]) close(row, Infinity);
  return found;
}

function textOf(spans: readonly Span[], row: number): string {
  if (spans.every(({ text }) => text.trim() === '')) return '';
  const [only] = spans;
  const y = (row + 0.75) * size.line;
  if (spans.length === 1 && only) return `<text y="${y}" class="c${only.code}">${escaped(only.text.trimEnd())}</text>`;
  const parts = spans.map(({ code, text }) =>
    code === 0 ? escaped(text) : `<tspan class="c${code}">${escaped(text)}</tspan>`,
  );
  return `<text y="${y}" class="c0">${parts.join('').trimEnd()}</text>`;
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
