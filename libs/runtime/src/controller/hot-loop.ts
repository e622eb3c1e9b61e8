import type { Clock, Instant } from '@ordinal/client';

/** So many reconciles in a row, each woken by nothing but the key's own writes, are a loop. */
const roundsOfALoop = 12;

/** And they must follow each other within this time. */
const withinMs = 60_000;

interface Rounds {
  own: boolean;
  foreign: boolean;
  count: number;
  since: Instant;
}

/** Notices keys that keep waking themselves: each reconcile writes something, and that write's event is the only reason for the next one. */
export class HotLoops {
  readonly #clock: Clock;
  readonly #rounds = new Map<string, Rounds>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A change wakes the key: one that the key wrote itself, or a foreign one. */
  woken(key: string, byItself: boolean): void {
    const rounds = this.#rounds.get(key);
    if (rounds === undefined) {
      if (byItself) this.#rounds.set(key, { own: true, foreign: false, count: 0, since: this.#clock.now() });
      return;
    }
    if (byItself) rounds.own = true;
    else rounds.foreign = true;
  }

  /** A reconcile of the key begins. The number of rounds where this is the one that makes it a loop. */
  started(key: string): number | undefined {
    const rounds = this.#rounds.get(key);
    if (rounds === undefined) return undefined;
    if (!rounds.own || rounds.foreign || this.#clock.now() - rounds.since > withinMs) {
      this.#rounds.delete(key);
      return undefined;
    }
    rounds.own = false;
    rounds.count += 1;
    return rounds.count % roundsOfALoop === 0 ? rounds.count : undefined;
  }
}
