import type { Clock, Timer } from '@ordinal/client';
import { RuntimeError } from '../error.ts';

/** A signal that is aborted when time runs out, or when another signal is. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #outer: AbortSignal;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer.reason);
  #passed = false;

  constructor(clock: Clock, timeoutMs: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = clock.after(timeoutMs, () => {
      this.#passed = true;
      this.#controller.abort(
        new RuntimeError(
          'ReconcileTimeout',
          `the reconcile has run for ${timeoutMs / 1000} s, which is all the time it has`,
        ),
      );
    });
    if (outer.aborted) this.#onOuter();
    else outer.addEventListener('abort', this.#onOuter, { once: true });
  }

  /** Aborted when time has run out, or the outer signal is. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether time has run out. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Takes timer and listener back. */
  clear(): void {
    this.#timer.cancel();
    this.#outer.removeEventListener('abort', this.#onOuter);
  }
}
