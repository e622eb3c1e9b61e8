import type { Clock, Instant, Timer } from '@ordinal/client';
import { namespaceOf } from '../cache/key.ts';
import { FairMap } from './fair-map.ts';

/** `fresh` for what has just changed; `settled` for what a start-up or a resync looks at again. Fresh keys go first. */
export type Priority = 'fresh' | 'settled';

/** After so many fresh keys in a row, a settled one gets its turn, so that a busy cluster can't starve a resync. */
const freshInARow = 8;

/** A key as it is handed out. */
export interface QueueItem {
  readonly key: string;
  /** When it became due. */
  readonly since: Instant;
}

/**
 * Keys that wait to be worked on. A key waits at most once, is never handed out twice at a time, and one that is added while it is worked on comes
 * again when that work is done. Of the keys of one priority, each namespace that has some gets its turn, one key at a time; those of a namespace come in the
 * order in which they were added.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #waiting: Readonly<Record<Priority, FairMap<Instant>>> = { fresh: new FairMap(), settled: new FairMap() };
  readonly #working = new Set<string>();
  readonly #dirty = new Map<string, { readonly since: Instant; readonly priority: Priority }>();
  readonly #delayed = new Map<string, { readonly due: Instant; readonly timer: Timer }>();
  #freshTaken = 0;

  /** `onReady` is called whenever there may be something to take. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** How many keys could be handed out, or will be when their present work is done. */
  get depth(): number {
    return this.#waiting.fresh.size + this.#waiting.settled.size + this.#dirty.size;
  }

  /** Whether there is a key to take now. */
  get hasNext(): boolean {
    return this.#waiting.fresh.size + this.#waiting.settled.size > 0;
  }

  /** How many keys wait for a time to come. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Whether nothing waits, is worked on or is due later. */
  get idle(): boolean {
    return this.depth === 0 && this.#working.size === 0 && this.#delayed.size === 0;
  }

  /** Whether the key is being worked on. */
  isWorking(key: string): boolean {
    return this.#working.has(key);
  }

  /** Adds a key, if it does not wait yet. A fresh addition lifts a settled one. */
  add(key: string, priority: Priority = 'fresh'): void {
    if (this.#working.has(key)) {
      const dirty = this.#dirty.get(key);
      if (dirty === undefined || (dirty.priority === 'settled' && priority === 'fresh')) {
        this.#dirty.set(key, { since: dirty?.since ?? this.#clock.now(), priority });
      }
      return;
    }
    const { fresh, settled } = this.#waiting;
    const namespace = namespaceOf(key);
    if (fresh.get(namespace, key) !== undefined) return;
    const before = settled.get(namespace, key);
    if (before !== undefined && priority === 'settled') return;
    settled.delete(namespace, key);
    this.#waiting[priority].set(namespace, key, before ?? this.#clock.now());
    this.#onReady();
  }

  /** Adds a key after a delay in milliseconds. Of several delays of a key the shortest counts; a plain `add` does not take it back. */
  addAfter(key: string, delayMs: number, priority: Priority = 'fresh'): void {
    if (delayMs <= 0) {
      this.add(key, priority);
      return;
    }
    const due = this.#clock.now() + delayMs;
    const before = this.#delayed.get(key);
    if (before !== undefined) {
      if (before.due <= due) return;
      before.timer.cancel();
    }
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key, priority);
    });
    this.#delayed.set(key, { due, timer });
  }

  /** Forgets a delay of a key. */
  cancelDelay(key: string): void {
    this.#delayed.get(key)?.timer.cancel();
    this.#delayed.delete(key);
  }

  /** Hands out the next key, which is then worked on until `done`. Undefined where none waits. */
  take(): QueueItem | undefined {
    const { fresh, settled } = this.#waiting;
    const settledTurn = settled.size > 0 && (fresh.size === 0 || this.#freshTaken >= freshInARow);
    const next = (settledTurn ? settled : fresh).take();
    if (next === undefined) return undefined;
    this.#freshTaken = settledTurn ? 0 : this.#freshTaken + 1;
    this.#working.add(next.key);
    return { key: next.key, since: next.value };
  }

  /** Ends the work on a key. If it was added meanwhile, it waits again. */
  done(key: string): void {
    this.#working.delete(key);
    const dirty = this.#dirty.get(key);
    if (dirty === undefined) return;
    this.#dirty.delete(key);
    this.#waiting[dirty.priority].set(namespaceOf(key), key, dirty.since);
    this.#onReady();
  }

  /** Forgets everything that waits, now or later. Keys that are worked on are not touched. */
  clear(): void {
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#waiting.fresh.clear();
    this.#waiting.settled.clear();
    this.#dirty.clear();
  }
}
