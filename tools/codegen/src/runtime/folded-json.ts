/**
 * Reads JSON in which what stands several times is written once: one value a line, in which `~3;` stands for the value of line 3, counted from 0 and always
 * an earlier one. The last line is the whole. No string in it holds a tilde: `\u007e` is written for it.
 */
export function unfold(folded: string): unknown {
  const lines: string[] = [];
  for (const line of folded.trim().split('\n')) {
    lines.push(line.replace(/~(\d+);/g, (_, index: string) => lines[Number(index)] ?? ''));
  }
  return JSON.parse(lines.at(-1) ?? '');
}
