import type { LivePod } from '../kinds.ts';

/** The label and annotation that hold a pod's index. */
export const indexName = 'batch.kubernetes.io/job-completion-index';

/** The pod's index; undefined where it has none, or none that a Job could give. */
export function indexOf({ metadata }: LivePod): number | undefined {
  const text = metadata.annotations?.[indexName];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** Indexes below a number, of a text such as `0,2-4`. What can't be read is left out. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const interval of (text ?? '').split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(interval);
    if (match === null) continue;
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = Number(match[1]); index <= last; index += 1) indexes.add(index);
  }
  return indexes;
}

/** Indexes as a status shows them: in order, three or more that follow one another as an interval. */
export function formatIndexes(indexes: Iterable<number>): string {
  const intervals: [number, number][] = [];
  for (const index of [...indexes].sort((left, right) => left - right)) {
    const last = intervals.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else intervals.push([index, index]);
  }
  return intervals
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');
}
