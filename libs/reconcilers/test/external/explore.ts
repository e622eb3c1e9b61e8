/**
 * Searches the histories of CloudDatabase and MonitoredStatefulSet: every single fault of every scenario first, then pairs by chance, until so many distinct
 * histories have been seen or the time is over. A history counts when its faults fired and nothing like it was seen before.
 *
 *   node --conditions=ordinal-source libs/reconcilers/test/external/explore.ts [--histories 100000] [--minutes 60] [--seed 1] [--out summary.json]
 *
 * Exits 1, and prints the history, at the first violation.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runHistory, tempers } from './database-history.ts';
import type { HistoryResult } from './database-history.ts';
import { databaseScenarios } from './database-scenarios.ts';
import type { Fault } from './fault.ts';
import { singleFaults } from './histories.ts';
import { runSetHistory, setScenarios } from './set-history.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});

/** One way in which a scenario can be run. */
interface Course {
  readonly kind: string;
  readonly name: string;
  run(faults: readonly Fault[], seed: number): Promise<HistoryResult>;
}

const names = Object.keys(tempers) as (keyof typeof tempers)[];
const courses: readonly Course[] = names.flatMap((temper): Course[] => [
  ...databaseScenarios.map((scenario) => ({
    kind: 'CloudDatabase',
    name: `${scenario.name}, ${temper}`,
    run: (faults: readonly Fault[], seed: number) => runHistory({ scenario, temper, faults, seed }),
  })),
  ...setScenarios.map((scenario) => ({
    kind: 'MonitoredStatefulSet',
    name: `${scenario.name}, ${temper}`,
    run: (faults: readonly Fault[], seed: number) => runSetHistory({ scenario, temper, faults, seed }),
  })),
]);

/** Numbers by chance that are the same for the same seed (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What has been seen so far. */
class Ledger {
  run = 0;
  readonly traces = new Set<string>();
  readonly pairs = new Map<string, Set<string>>();
  readonly byKind: Record<string, number> = {};

  /** Counts a history. Returns false for one that broke an invariant. */
  take(course: Course, faults: readonly Fault[], result: HistoryResult): boolean {
    this.run += 1;
    const allFired = faults.every((fault) => result.fired.some((fired) => fired.fault === fault));
    if (allFired && !this.traces.has(result.traceKey)) {
      this.traces.add(result.traceKey);
      this.byKind[course.kind] = (this.byKind[course.kind] ?? 0) + 1;
    }
    for (const { fault, state } of result.fired) {
      const group = `${course.kind} ${fault.effect} ${fault.when} ${fault.kind}`;
      const pairs = this.pairs.get(group) ?? new Set();
      this.pairs.set(group, pairs.add(`${state} ${fault.number}`));
    }
    if (result.violations.length === 0) return true;
    console.error(result.violations, `\n${course.name}\n${result.text()}`);
    return false;
  }

  summary(): object {
    const pairs = Object.fromEntries([...this.pairs].sort().map(([group, set]) => [group, set.size]));
    return { run: this.run, distinct: this.traces.size, byKind: this.byKind, statesAndFaultPoints: pairs };
  }
}

async function search(): Promise<boolean> {
  const ledger = new Ledger();
  const end = performance.now() + Number(values.minutes) * 60_000;
  const wanted = Number(values.histories);
  const isOver = (): boolean => ledger.traces.size >= wanted || performance.now() > end;
  const points = new Map<Course, readonly Fault[]>();
  const singles: { readonly course: Course; readonly fault: Fault }[] = [];
  let isSound = true;
  for (const course of courses) {
    if (!isSound) break;
    const calm = await course.run([], Number(values.seed));
    isSound = ledger.take(course, [], calm);
    points.set(course, singleFaults(calm.calls));
    singles.push(...singleFaults(calm.calls).map((fault) => ({ course, fault })));
  }
  const random = chance(Number(values.seed));
  const pick = <T>(entries: readonly T[]): T => entries[Math.floor(random() * entries.length)] as T; // Never empty here.
  // In no order, so that a short search meets every scenario.
  const shuffled = singles.map((single) => ({ single, rank: random() })).sort((a, b) => a.rank - b.rank);
  for (const { single } of shuffled) {
    if (isOver() || !isSound) break;
    isSound = ledger.take(single.course, [single.fault], await single.course.run([single.fault], Number(values.seed)));
  }
  while (isSound && !isOver()) {
    const course = pick(courses);
    const faults = points.get(course) ?? [];
    if (faults.length === 0) continue;
    // A second fault comes after the first has changed what follows: its point is taken from beyond the calm history, too.
    const [first, second] = [pick(faults), pick(faults)];
    const later = { ...second, number: second.number + Math.floor(random() * 4) };
    const pair = first.kind === later.kind && first.number === later.number ? [first] : [first, later];
    isSound = ledger.take(course, pair, await course.run(pair, 1 + Math.floor(random() * 1_000)));
  }
  const summary = JSON.stringify(ledger.summary(), null, 2);
  console.log(summary);
  if (values.out !== undefined) writeFileSync(values.out, `${summary}\n`);
  return isSound;
}

process.exitCode = (await search()) ? 0 : 1;
