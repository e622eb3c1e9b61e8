import type { Reported, Trial } from './search-scenario.ts';
import { taskKey } from './task.ts';
import type { Task } from './task.ts';

/** What came of a share: its histories, in short. One line of the search's file. */
export interface Share {
  readonly task: Task;
  /** The kind that the scenario is about, and the scenario's name. */
  readonly kind: string;
  readonly searchScenario: string;
  readonly trials: readonly Omit<Trial, 'failure'>[];
  readonly failures: readonly Reported[];
}

/** What a search has seen so far. It keeps digests only: a hundred bytes for a history. */
export class Ledger {
  run = 0;
  readonly #byKind = new Map<string, { run: number; distinct: number }>();
  readonly #traces = new Set<string>();
  readonly #met = new Map<string, Set<string>>();
  readonly #struck = new Map<string, number>();
  readonly #done = new Set<string>();
  readonly #failures = new Map<string, Reported & { readonly searchScenario: string }>();

  /** Histories that count: all their faults struck, and no other has the same trace. */
  get distinct(): number {
    return this.#traces.size;
  }

  /** One of each kind of failure: of those with the same oracle in the same scenario, the first. */
  get failures(): readonly (Reported & { readonly searchScenario: string })[] {
    return [...this.#failures.values()];
  }

  /** Whether a share was taken in already. */
  has(task: Task): boolean {
    return this.#done.has(taskKey(task));
  }

  /** Takes a share in. Returns the failures that are new. */
  take({ task, kind, searchScenario, trials, failures }: Share): readonly Reported[] {
    this.#done.add(taskKey(task));
    const counts = this.#byKind.get(kind) ?? { run: 0, distinct: 0 };
    this.#byKind.set(kind, counts);
    for (const { allFired, trace, met } of trials) {
      this.run += 1;
      counts.run += 1;
      if (allFired && !this.#traces.has(trace)) {
        this.#traces.add(trace);
        counts.distinct += 1;
      }
      for (const { group, at } of met) {
        this.#struck.set(group, (this.#struck.get(group) ?? 0) + 1);
        this.#met.set(group, (this.#met.get(group) ?? new Set<string>()).add(at));
      }
    }
    return failures.filter((failure) => this.#isNew(failure, searchScenario));
  }

  /** The counts, as data. */
  summary(): object {
    const groups = [...this.#met].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      run: this.run,
      distinct: this.distinct,
      byKind: Object.fromEntries(this.#byKind),
      faults: Object.fromEntries(
        groups.map(([group, met]) => [group, { struck: this.#struck.get(group), statesAndPoints: met.size }]),
      ),
      failures: this.failures.map(({ searchScenario, oracle }) => `${searchScenario}: ${oracle}`),
    };
  }

  #isNew(failure: Reported, searchScenario: string): boolean {
    const key = `${searchScenario}: ${failure.oracle}`;
    if (this.#failures.has(key)) return false;
    this.#failures.set(key, { ...failure, searchScenario });
    return true;
  }
}
