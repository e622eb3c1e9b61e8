import type { Difference } from './write.ts';

/** How many changed lines of one file are shown. */
const shownLines = 40;

/** The differences as a unified diff, each file's hunks bounded: the first lines say what happened. */
export function formatDifferences(folder: string, differences: readonly Difference[]): string {
  return differences.map((difference) => formatDifference(folder, difference)).join('\n');
}

function formatDifference(folder: string, { path, before, after }: Difference): string {
  const name = `${folder}/${path}`;
  const head = `--- ${before === undefined ? '/dev/null' : name}\n+++ ${after === undefined ? '/dev/null' : name}`;
  const lines = diffLines(linesOf(before), linesOf(after));
  const more = lines.length > shownLines ? [`… ${String(lines.length - shownLines)} more changed lines`] : [];
  return [head, ...lines.slice(0, shownLines).map(shorten), ...more].join('\n');
}

/** Each line of a text. The end of the last one is none of its own; where it is missing, a line says so. */
function linesOf(text = ''): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file'];
}

const shorten = (line: string): string => (line.length > 200 ? `${line.slice(0, 200)}…` : line);

/** Changed lines with their place, matched greedily: exact for small changes, and linear for large ones. */
function diffLines(before: readonly string[], after: readonly string[]): string[] {
  const lines: string[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    if (left < before.length && right < after.length && before[left] === after[right]) {
      left += 1;
      right += 1;
      continue;
    }
    const [skipLeft, skipRight] = nextMatch(before, after, left, right);
    lines.push(`@@ -${String(left + 1)},${String(skipLeft)} +${String(right + 1)},${String(skipRight)} @@`);
    for (let index = 0; index < skipLeft; index += 1) lines.push(`-${before[left + index] ?? ''}`);
    for (let index = 0; index < skipRight; index += 1) lines.push(`+${after[right + index] ?? ''}`);
    left += skipLeft;
    right += skipRight;
  }
  return lines;
}

/** How far ahead a common line is looked for. */
const window = 200;

/** The nearest place where both sides agree again for a line with something on it, or the end of both. */
function nextMatch(before: readonly string[], after: readonly string[], left: number, right: number): [number, number] {
  for (let distance = 1; distance <= window; distance += 1) {
    for (let skip = 0; skip <= distance; skip += 1) {
      const line = before[left + skip];
      if (line !== undefined && line.trim() !== '' && line === after[right + distance - skip])
        return [skip, distance - skip];
    }
  }
  return [before.length - left, after.length - right];
}
