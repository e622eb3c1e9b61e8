import type { Clock, Instant } from '@ordinal/client';

/** So many reconciles in a row, each woken by nothing but the key's own writes, are a loop. */
const roundsOfALoop = 12;

/** And they must follow each other within this time. */
const withinMs = 60_000;

interface Rounds {
  /** The revisions of the changes that woke the key since its last reconcile began. */
  wokenBy: string[];
  /** The revisions that its last reconcile wrote. */
  written: string[];
  count: number;
  since: Instant;
}

/**
 * Notices keys that keep waking themselves: each reconcile writes something, and that write's event is the only reason for the next one. It compares when a
 * reconcile begins, since an event may come before the reply to the write that it reports.
 */
export class HotLoops {
  readonly #clock: Clock;
  readonly #rounds = new Map<string, Rounds>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Work on the key wrote an object, which now has this revision. */
  wrote(key: string, revision: string): void {
    this.#of(key).written.push(revision);
  }

  /** A change to this revision of an object wakes the key. */
  woken(key: string, revision: string): void {
    this.#of(key).wokenBy.push(revision);
  }

  #of(key: string): Rounds {
    const known = this.#rounds.get(key);
    if (known !== undefined) return known;
    const rounds: Rounds = { wokenBy: [], written: [], count: 0, since: this.#clock.now() };
    this.#rounds.set(key, rounds);
    return rounds;
  }

  /** A reconcile of the key begins. The number of rounds where this is the one that makes it a loop. */
  started(key: string): number | undefined {
    const rounds = this.#rounds.get(key);
    if (rounds === undefined) return undefined;
    const { wokenBy, written } = rounds;
    const byItself = wokenBy.length > 0 && wokenBy.every((revision) => written.includes(revision));
    if (!byItself || this.#clock.now() - rounds.since > withinMs) {
      this.#rounds.delete(key);
      return undefined;
    }
    rounds.wokenBy = [];
    rounds.written = [];
    rounds.count += 1;
    return rounds.count % roundsOfALoop === 0 ? rounds.count : undefined;
  }
}
