import { digest } from './search-scenario.ts';
import type { Plan, Singles } from './search-scenario.ts';

/** A share of the search: histories of one scenario, which one process runs. It says all by its three numbers. */
export interface Task {
  readonly searchScenario: number;
  /** 0: single faults. From 1: pairs, drawn again in each round. */
  readonly round: number;
  /** Which share of the round. */
  readonly part: number;
}

/** How many histories are a share. */
export const shareSize = 25;

/** A task's name, in files. */
export function taskKey({ searchScenario, round, part }: Task): string {
  return `${searchScenario}/${round}/${part}`;
}

/**
 * The shares of a search, without end: every single fault of every scenario, crashes first, and a share of pairs for each share of them, as pairs find what
 * single faults don't. One share of each scenario in turn, so that a short search meets them all. When no single fault is left, pairs alone. `singles`: how
 * many single faults each scenario has.
 */
export function* tasksOf(singles: ReadonlyMap<number, number>): Generator<Task, void, undefined> {
  const pairs = pairsOf([...singles].filter(([, count]) => count > 1).map(([searchScenario]) => searchScenario));
  for (const round of singleRoundsOf(singles)) {
    yield* round;
    for (let left = round.length; left > 0; left -= 1) {
      const next = pairs.next();
      if (next.done !== true) yield next.value;
    }
  }
  yield* pairs;
}

/** The shares of the single faults alone, in the order that they have in a search. */
export function* singleTasksOf(singles: ReadonlyMap<number, number>): Generator<Task, void, undefined> {
  for (const round of singleRoundsOf(singles)) yield* round;
}

/** Shares of single faults: of each scenario the first one, then the second, until none is left. */
function* singleRoundsOf(singles: ReadonlyMap<number, number>): Generator<readonly Task[], void, undefined> {
  const parts = new Map(
    [...singles].map(([searchScenario, count]) => [searchScenario, Math.ceil(count / shareSize)] as const),
  );
  const max = Math.max(0, ...parts.values());
  for (let part = 0; part < max; part += 1)
    yield [...parts]
      .filter(([, count]) => part < count)
      .map(([searchScenario]) => ({ searchScenario, round: 0, part }));
}

/** Shares of pairs, without end: one of each scenario in turn. */
function* pairsOf(searched: readonly number[]): Generator<Task, void, undefined> {
  for (let round = 1; searched.length > 0; round += 1)
    for (const searchScenario of searched) yield { searchScenario, round, part: 0 };
}

/** The histories of a share. The same for the same seed, whichever process runs it. */
export function plansOf(
  { searchScenario, round, part }: Task,
  { count, crashes }: Singles,
  seed: number,
): readonly Plan[] {
  if (round === 0) {
    const isCrash = new Set(crashes);
    const atRandom = shuffled(count, seededRandom(`${seed} ${searchScenario}`));
    const order = [true, false].flatMap((first) => atRandom.filter((fault) => isCrash.has(fault) === first));
    return order.slice(part * shareSize, (part + 1) * shareSize).map((fault) => ({ faults: [fault], seed }));
  }
  const random = seededRandom(`${seed} ${searchScenario} ${round} ${part}`);
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: shareSize }, () => {
    const first = below(count);
    const second = (first + 1 + below(count - 1)) % count;
    // Another seed as well: latencies, and with them the order of what happens at the same time, are others.
    return { faults: [first, second], seed: 1 + below(0x7fffffff) };
  });
}

/** Numbers by chance that are the same for the same text (mulberry32). */
function seededRandom(text: string): () => number {
  let state = Buffer.from(digest(text), 'base64url').readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The numbers from 0, in an order by chance. */
function shuffled(count: number, random: () => number): readonly number[] {
  return Array.from({ length: count }, (_, index) => ({ index, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ index }) => index);
}
