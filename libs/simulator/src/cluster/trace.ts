import type { Instant } from '@ordinal/client';

/** One thing that happened in the simulated world. */
export interface TraceEntry {
  readonly at: Instant;
  /** Who did it: a user of the API, an operator, a fault. */
  readonly actor: string;
  /** What was done, such as `create`, `delete`, `deliver`, `crash`. */
  readonly action: string;
  /** To what: `pods shop/cache-0`, `POST http://monitor.example/register`. */
  readonly subject: string;
  /** How it ended, where that is worth saying: `409 Conflict`. */
  readonly outcome?: string;
}

/** The history of a simulated world: every write, every event that reached an operator, every external call and every fault, in order. */
export class Trace {
  readonly entries: TraceEntry[] = [];
  readonly #limit: number;

  /** Beyond `limit` entries the older half is forgotten; a cluster that runs for days must not fill the memory. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Adds to the history. */
  add(entry: TraceEntry): void {
    this.entries.push(entry);
    if (this.entries.length > this.#limit) this.entries.splice(0, this.entries.length >> 1);
  }

  /** The history as text, a line for each entry, with times in seconds since `start`. */
  text(start: Instant): string {
    return this.entries.map((entry) => describeEntry(entry, start)).join('\n');
  }
}

/** An entry in words. */
export function describeEntry({ at, actor, action, subject, outcome }: TraceEntry, start: Instant): string {
  const seconds = ((at - start) / 1000).toFixed(3).padStart(9);
  return `${seconds}s ${actor}: ${action} ${subject}${outcome === undefined ? '' : ` (${outcome})`}`;
}
