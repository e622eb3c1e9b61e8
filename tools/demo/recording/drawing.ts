import type { Cast } from './cast.ts';

const colours: Readonly<Record<string, string>> = {
  31: '#f47067',
  32: '#8ddb8c',
  33: '#e0b85c',
  36: '#76c7e6',
  1: '#ffffff',
};
const plain = '#c9d1d9';
const size = { font: 13, line: 18, character: 7.83, margin: 16, columns: 150 } as const;
/** Readers should not wait for long before the first line. */
const leadSeconds = 0.5;

/** An SVG in which each line appears at the time at which it was printed. Where nothing is animated, all of it is there. */
export function drawing({ lines }: Cast): string {
  const begin = (lines[0]?.seconds ?? 0) - leadSeconds;
  const width = Math.ceil(size.columns * size.character) + 2 * size.margin;
  const height = lines.length * size.line + 2 * size.margin;
  const rows = lines.map(({ seconds, text }, index) => {
    const y = size.margin + (index + 0.75) * size.line;
    const delay = (seconds - begin).toFixed(2);
    return `<text x="${size.margin}" y="${y.toFixed(1)}" style="animation-delay:${delay}s">${spansOf(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>npm run demo, as it was recorded</title>
<style>text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:${plain};animation:show .01s both}@keyframes show{from{opacity:0}to{opacity:1}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`;
}

const escape = String.fromCharCode(27);
/** A color's code, or text without one. */
const piece = new RegExp(`${escape}\\[(\\d+)m|([^${escape}]+)`, 'g');

/** Coloured pieces of a line; a line that is too long ends in an ellipsis. */
function spansOf(line: string): string {
  let colour = plain;
  let room: number = size.columns;
  let spans = '';
  for (const [, code, words] of line.matchAll(piece)) {
    if (code !== undefined) colour = colours[code] ?? plain;
    if (words === undefined || room <= 0) continue;
    const shown = words.length > room ? `${words.slice(0, room - 1)}…` : words;
    room -= words.length;
    spans += colour === plain ? escaped(shown) : `<tspan fill="${colour}">${escaped(shown)}</tspan>`;
  }
  return spans;
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
