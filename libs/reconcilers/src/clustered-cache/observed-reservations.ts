import type { ClusteredCache } from '@ordinal/api';
import type { Clock, ObjectKey, Timer } from '@ordinal/client';
import { reservationMs, reservationOf, reservedFor } from './reservation.ts';

/** A reservation, from the first time that it was seen here. */
interface Observed {
  readonly text: string;
  readonly timer: Timer;
  isOver: boolean;
}

/**
 * The reservations that one process has seen. How long one has stood is what the process itself has observed, by its timers: a clock that is set, or that
 * differs from another replica's, neither ends one nor makes it longer.
 *
 * **Guarantees.** A reservation stands for thirty seconds from when it was seen first. A process that has just started, or was shown another one in
 * between, lets it stand anew: that costs a wait where its member still serves, and nothing else.
 */
export class ObservedReservations {
  /** One for each cache: the last that was seen of it. */
  readonly #seen = new Map<string, Observed>();

  /** The UID of the member whose deletion was allowed last, while no other member may go down because of it. */
  current(cache: ClusteredCache, clock: Clock): string | undefined {
    const key = textOf(cache.metadata);
    const text = reservationOf(cache);
    // None is what an old view of the cache shows: what is known stays known.
    if (text === undefined) return undefined;
    const known = this.#seen.get(key);
    const { isOver } = known?.text === text ? known : this.#begin(key, text, clock);
    return isOver ? undefined : reservedFor(text);
  }

  /** Keeps nothing of a cache that is gone. */
  forget(key: ObjectKey): void {
    this.#drop(textOf(key));
  }

  /** Forgets all caches but these, for a caller that gets no event when one is deleted. */
  keepOnly(isThere: (key: ObjectKey) => boolean): void {
    for (const key of this.#seen.keys()) {
      const [namespace = '', name = ''] = key.split('/');
      if (!isThere({ namespace, name })) this.#drop(key);
    }
  }

  #begin(key: string, text: string, clock: Clock): Observed {
    this.#drop(key);
    const timer = clock.after(reservationMs, () => (observed.isOver = true));
    const observed: Observed = { text, timer, isOver: false };
    this.#seen.set(key, observed);
    return observed;
  }

  #drop(key: string): void {
    this.#seen.get(key)?.timer.cancel();
    this.#seen.delete(key);
  }
}

const textOf = ({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string =>
  `${namespace}/${name}`;
