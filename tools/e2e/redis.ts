import { App, Chart } from 'cdk8s';
import { RedisCache } from '../../libs/recipes/src/index.ts';
import type { RedisCacheOptions } from '../../libs/recipes/src/index.ts';
import type { Kubernetes } from './kubernetes.ts';

/** The images that the scenarios run: Redis of two Debian releases, made by tools/cluster. */
export const redisImages = {
  before: 'docker.io/e2e/redis:7',
  after: 'docker.io/e2e/redis:8',
  /** The same program as `after`. */
  later: 'docker.io/e2e/redis:8-later',
} as const;

/** A ClusteredCache of three Redis members, and its scripts: one leads, two replicate; the leader goes last and hands over first. */
export function redisCache(
  namespace: string,
  name: string,
  options: Pick<RedisCacheOptions, 'image' | 'upgrade'>,
): readonly object[] {
  return inChart(namespace, (chart) => {
    new RedisCache(chart, name, { name, ...options });
  });
}

/** What constructs in a chart of this namespace render. */
export function inChart(namespace: string, add: (chart: Chart) => void): readonly object[] {
  const chart = new Chart(new App(), 'e2e', { namespace });
  add(chart);
  return chart.toJson() as readonly object[]; // The manifests of the chart.
}

/** What each member has answered last when the load asked it whether it leads, and it did not. */
type Answers = Readonly<Record<string, string>>;

/** What the load has counted. */
export interface LoadCounts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  /** How far into the longest gap the leader of before refused, how far into it another one was found, and what members had answered until then. Both 0 where the leader stayed. */
  readonly longestGapParts: {
    readonly refusedAfterMs: number;
    readonly foundAfterMs: number;
    readonly answers: Answers;
  };
  readonly longestWaitMs: number;
  readonly switches: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** While no leader is known: what each member has answered last. */
  readonly answers: Answers;
  readonly seconds: number;
}

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged key; `/reset` answers with the counts so far and begins a new span for the longest gap. */
export async function askLoad(
  kubernetes: Kubernetes,
  namespace: string,
  path: '/counts' | '/reset' | '/finish',
): Promise<LoadCounts> {
  return JSON.parse(await kubernetes.ask(namespace, 'load:8000', path)) as LoadCounts; // As pods/load.ts answers.
}

/** The counts on a line. */
export function lineOf({ acknowledged, lost, longestGapMs, switches, seconds }: LoadCounts): string {
  const verified = lost === undefined ? '' : `, ${lost} lost`;
  return `${acknowledged} writes acknowledged${verified} in ${seconds.toFixed(0)} s, longest gap ${longestGapMs.toFixed(0)} ms, ${switches} changes of leader`;
}

const saying = (answers: Answers): string =>
  Object.entries(answers)
    .map(([member, answer]) => `; ${member} answered: ${answer}`)
    .join('');

/** A leader is found so quickly, in milliseconds; where it takes longer, the answers of the members are printed. */
const searchLimitMs = 1_000;

/** The longest gap, and where it went. */
export function gapLine(counts: LoadCounts): string {
  const { longestGapMs, longestGapParts } = counts;
  const { refusedAfterMs, foundAfterMs, answers } = longestGapParts;
  const isLate = foundAfterMs - refusedAfterMs > searchLimitMs;
  const parts =
    foundAfterMs === 0
      ? ''
      : ` (${refusedAfterMs.toFixed(0)} until the leader refused, ${foundAfterMs.toFixed(0)} until another was found)`;
  return `longest time without an acknowledged write ${longestGapMs.toFixed(0)} ms${parts}${saying(isLate ? answers : {})}${saying(counts.answers)}`;
}
