import type { Cast } from './cast.ts';
import { drawing } from './drawing.ts';
import { framesOf, type Frame } from './terminal.ts';

/** The drawing of the demo's recording: from the first scene to what was asserted. What to try next is text of the README. */
export function drawingOf(cast: Cast): string {
  const { columns, rows } = cast;
  const frames = framesOf(cast).map(({ seconds, lines }) => ({ seconds, lines: upTo(lines, 'What to try next') }));
  const first = frames.findIndex(({ lines }) => rowOf(lines, 'Four resources') >= 0);
  const kept = frames.slice(Math.max(first, 0));
  const begin = kept[0]?.seconds ?? 0;
  const shown = kept.filter(({ lines }, index) => index === 0 || !isSame(lines, kept[index - 1]?.lines ?? []));
  return drawing(
    shown.map(({ seconds, lines }) => ({ seconds: seconds - begin, lines })),
    { columns, rows, title: 'npm run demo, as a terminal showed it' },
  );
}

type Lines = Frame['lines'];

const rowOf = (lines: Lines, wanted: string): number =>
  lines.findIndex((spans) => spans.some(({ text }) => text.includes(wanted)));

const isSame = (some: Lines, others: Lines): boolean => JSON.stringify(some) === JSON.stringify(others);

/** The lines before the one with this text, without empty ones at the end. */
function upTo(lines: Lines, end: string): Lines {
  const row = rowOf(lines, end);
  if (row < 0) return lines;
  const before = lines.slice(0, row);
  return before.slice(0, before.findLastIndex((spans) => spans.length > 0) + 1);
}
