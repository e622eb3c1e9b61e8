import { namespaceOf } from '../cache/key.ts';
import { FairMap } from '../queue/fair-map.ts';

/** Counts the workers of a controller, and keeps those in line that need one again. */
export class Workers {
  readonly limit: number;
  readonly #onFree: () => void;
  readonly #returning = new FairMap<() => void>();
  #busy = 0;

  /** `onFree` is called whenever one may have become free, or is asked for again. */
  constructor(limit: number, onFree: () => void) {
    this.limit = limit;
    this.#onFree = onFree;
  }

  /** How many are at work. */
  get busy(): number {
    return this.#busy;
  }

  /** Whether one is free. */
  get isFree(): boolean {
    return this.#busy < this.limit;
  }

  /** How many reconciles have come back from a call, and wait for a worker. */
  get returning(): number {
    return this.#returning.size;
  }

  /** Gives a worker to the work on a key. Call it only while one is free. */
  begin(key: string): Turn {
    this.#busy += 1;
    return new Turn({ giveBack: () => this.#giveBack(), await: (ready) => this.#await(key, ready) });
  }

  /** Lets the next reconcile that has come back go on, namespace by namespace. Call it only while a worker is free. */
  resume(): void {
    const next = this.#returning.take();
    if (next === undefined) return;
    this.#busy += 1;
    next.value();
  }

  #giveBack(): void {
    this.#busy -= 1;
    this.#onFree();
  }

  #await(key: string, ready: () => void): void {
    this.#returning.set(namespaceOf(key), key, ready);
    this.#onFree();
  }
}

interface Desk {
  giveBack(): void;
  await(ready: () => void): void;
}

/** The work on one key, from its begin to its end: with a worker, save while it only waits for calls. */
export class Turn {
  readonly #desk: Desk;
  #isHeld = true;
  #hasEnded = false;
  #calls = 0;
  #returning: Promise<undefined> | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Gives the worker back for as long as calls are under way, however many are side by side, and takes one again after the last of them. */
  async outside<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#giveBack();
    try {
      return await call();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) await this.#return();
    }
  }

  /** The work has ended. */
  end(): void {
    this.#hasEnded = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#desk.giveBack();
  }

  async #return(): Promise<void> {
    if (this.#isHeld || this.#hasEnded) return;
    if (this.#returning === undefined) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#returning = promise;
      this.#desk.await(() => {
        this.#returning = undefined;
        this.#isHeld = true;
        // Another call may have begun meanwhile, or nothing may have waited for this one.
        if (this.#calls > 0 || this.#hasEnded) this.#giveBack();
        resolve(undefined);
      });
    }
    await this.#returning;
  }
}
