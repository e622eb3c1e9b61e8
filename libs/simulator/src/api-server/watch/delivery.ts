import type { JsonObject, ServerWatchEvent } from '../request.ts';
import { Refusal, unforeseen } from '../status.ts';

/** An event that is made when its turn comes; undefined where it turns out to be none. One that a webhook has a part in may only be promised. */
export type Due = () => ServerWatchEvent | undefined | Promise<ServerWatchEvent | undefined>;

/** Hands the events of one watch over in their order, also where some of them are waited for. */
export class Delivery {
  readonly #to: { readonly event: (event: ServerWatchEvent) => void; readonly failed: () => void };
  /** What comes after an event that is waited for. */
  #waiting: Due[] | undefined;

  constructor(to: { readonly event: (event: ServerWatchEvent) => void; readonly failed: () => void }) {
    this.#to = to;
  }

  /** Hands an event over, at once unless others are waited for. */
  add(due: Due): void {
    if (this.#waiting !== undefined) this.#waiting.push(due);
    else this.#make(due);
  }

  #make(due: Due): void {
    try {
      const event = due();
      if (event instanceof Promise) this.#await(event);
      else if (event !== undefined) this.#to.event(event);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#to.failed();
    }
  }

  #await(event: Promise<ServerWatchEvent | undefined>): void {
    this.#waiting = [];
    event.then(
      (made) => {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        if (made !== undefined) this.#to.event(made);
        for (const due of waiting) this.add(due);
      },
      (error: unknown) => {
        // Nothing above is there any more that it could be thrown to: the watch itself reports it.
        if (!(error instanceof Refusal)) this.#to.event({ type: 'ERROR', object: statusOf(error) });
        this.#to.failed();
      },
    );
  }
}

const statusOf = (error: unknown): JsonObject =>
  unforeseen(error instanceof Error ? error.message : String(error)).status as unknown as JsonObject;
