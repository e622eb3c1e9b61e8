import type { Random } from '@ordinal/client';
import type { Fault, FaultName } from '../faults/fault.ts';
import { defaultFaults, enumerateFaults } from '../faults/catalogue.ts';
import { generalInvariants } from '../oracles/general.ts';
import type { Invariant, Violation } from '../oracles/invariant.ts';
import { seededRandom } from '@ordinal/simulator';
import type { HistoryOutcome } from './history.ts';
import { runHistory } from './history.ts';
import type { ExploreReport, Failure } from './report.ts';
import { failureReport } from './report.ts';
import type { Scenario } from './scenario.ts';

/** What to search. */
export interface ExploreOptions {
  readonly scenario: Scenario;
  /** The classes of faults to try; those that need nothing of the author by default. */
  readonly faults?: readonly FaultName[];
  readonly budget: {
    /** How many histories to run at most, the one without faults included. */
    readonly histories: number;
    /** The part of the histories that gets two faults each, once every fault has had its turn: a third by default. */
    readonly pairs?: number;
    /** Stop after so many failures that differ. Five by default. */
    readonly failures?: number;
  };
  readonly seed: number;
  /** Beside those that hold for any operator. */
  readonly oracles?: readonly Invariant[];
}

/** Which history to show again. */
export interface ReplayOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly faults?: readonly Fault[];
  readonly oracles?: readonly Invariant[];
}

/**
 * Searches the histories of a scenario: the one without faults first; then each fault at each of its points, in a random order where the budget does
 * not reach for all; then pairs of them. A failure is reported as a seed, the shortest history that was found, and a test to paste.
 */
export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  const { scenario, seed, budget } = options;
  const oracles = [...generalInvariants, ...(options.oracles ?? [])];
  const reference = await runHistory({ scenario, seed, faults: [], oracles });
  const search = new Search(reference);
  search.add(reference);
  const random = seededRandom(seed);
  const names = options.faults ?? defaultFaults;
  const byName = new Map(
    names.map((name) => [name, shuffle([...enumerateFaults(name, reference.ground)], random)] as const),
  );
  for (const [name, faults] of byName) search.enumerated[name] = faults.length;
  const singles = interleave([...byName.values()]);
  const maxFailures = budget.failures ?? 5;
  const pairs = Math.floor(budget.histories * (budget.pairs ?? 1 / 3));
  const forSingles = Math.max(1, budget.histories - 1 - pairs);
  const run = async (faults: readonly Fault[], historySeed: number): Promise<void> => {
    const outcome = await runHistory({ scenario, seed: historySeed, faults, oracles, reference: reference.lives });
    search.add(outcome);
    if (outcome.violations.length === 0 || !search.isNew(outcome)) return;
    const shortest = await shorten(outcome, { scenario, oracles, reference });
    if (shortest === outcome || search.isNew(shortest)) search.failures.push(failureReport(shortest, scenario.name));
  };
  if (reference.violations.length > 0) search.failures.push(failureReport(reference, scenario.name));
  for (const fault of singles.slice(0, forSingles)) {
    if (search.failures.length >= maxFailures) break;
    await run([fault], seed);
  }
  while (singles.length > 1 && search.histories < budget.histories && search.failures.length < maxFailures) {
    const pair = [singles[Math.floor(random() * singles.length)], singles[Math.floor(random() * singles.length)]];
    // Another seed as well: latencies, and with them the order of what happens at the same time, are others.
    await run(
      pair.filter((fault) => fault !== undefined),
      Math.floor(random() * 0x7fffffff),
    );
  }
  return search.report(scenario.name, seed);
}

/** Runs one history again, with the invariants of any operator and those that are given. */
export async function replay(options: ReplayOptions): Promise<HistoryOutcome> {
  const { scenario, seed, faults = [] } = options;
  const oracles = [...generalInvariants, ...(options.oracles ?? [])];
  if (faults.length === 0) return runHistory({ scenario, seed, faults, oracles });
  const reference = await runHistory({ scenario, seed, faults: [], oracles });
  return runHistory({ scenario, seed, faults, oracles, reference: reference.lives });
}

/** Tries each fault of a pair alone: a failure with one fault is easier to understand than one with two. */
async function shorten(
  outcome: HistoryOutcome,
  {
    scenario,
    oracles,
    reference,
  }: { readonly scenario: Scenario; readonly oracles: readonly Invariant[]; readonly reference: HistoryOutcome },
): Promise<HistoryOutcome> {
  if (outcome.faults.length < 2) return outcome;
  for (const fault of outcome.faults) {
    const single = await runHistory({
      scenario,
      seed: outcome.seed,
      faults: [fault],
      oracles,
      reference: reference.lives,
    });
    if (single.violations.some(({ oracle }) => oracle === outcome.violations[0]?.oracle)) return single;
  }
  return outcome;
}

/** What a search has seen so far. */
class Search {
  histories = 0;
  readonly failures: Failure[] = [];
  readonly enumerated: Partial<Record<FaultName, number>> = {};
  private readonly reference: HistoryOutcome;
  private readonly traces = new Set<string>();
  private readonly fired = new Map<FaultName, number>();
  private readonly pairs = new Map<FaultName, Set<string>>();
  private readonly known = new Set<string>();
  private failed = 0;

  constructor(reference: HistoryOutcome) {
    this.reference = reference;
  }

  add(outcome: HistoryOutcome): void {
    this.histories += 1;
    this.traces.add(outcome.fingerprint);
    if (outcome.violations.length > 0) this.failed += 1;
    for (const { fault, state } of outcome.fired) {
      this.fired.set(fault.fault, (this.fired.get(fault.fault) ?? 0) + 1);
      const met = this.pairs.get(fault.fault) ?? new Set<string>();
      this.pairs.set(fault.fault, met.add(`${JSON.stringify(fault.at)} ${state}`));
    }
  }

  /** Whether a failure is of a kind that was not seen before: another oracle, or another class of faults. */
  isNew(outcome: HistoryOutcome): boolean {
    const [first] = outcome.violations as readonly [Violation, ...Violation[]];
    const key = `${first.oracle} ${[...new Set(outcome.faults.map(({ fault }) => fault))].sort().join()}`;
    const isNew = !this.known.has(key);
    this.known.add(key);
    return isNew;
  }

  report(scenario: string, seed: number): ExploreReport {
    const { reference } = this;
    return {
      scenario,
      seed,
      histories: this.histories,
      distinctTraces: this.traces.size,
      enumerated: this.enumerated,
      fired: Object.fromEntries(this.fired),
      pairs: Object.fromEntries([...this.pairs].map(([name, met]) => [name, met.size])),
      failures: this.failures,
      failedHistories: this.failed,
      writes: reference.ground.writes,
      externalCalls: reference.ground.externalCalls,
      virtualMs: reference.virtualMs,
    };
  }
}

function shuffle<T>(items: T[], random: Random): readonly T[] {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [items[index], items[other]] = [items[other] as T, items[index] as T];
  }
  return items;
}

/** One of each list in turn, so that every class of faults has its share of a small budget. */
function interleave<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const result: T[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let index = 0; index < longest; index += 1) {
    for (const list of lists) {
      const item = list[index];
      if (item !== undefined) result.push(item);
    }
  }
  return result;
}
