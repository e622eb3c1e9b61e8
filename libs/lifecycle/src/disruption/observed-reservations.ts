import type { Clock, KubernetesObject, ObjectKey, Timer } from '@ordinal/client';
import { reservationMs, reservationOf, reservedFor } from './reservation.ts';

/** What is read of an owner. */
export interface Reserving {
  readonly metadata: Pick<KubernetesObject['metadata'], 'name' | 'namespace' | 'annotations'>;
}

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
 * between, lets it stand again: that costs a wait where its member still serves, and nothing else.
 */
export class ObservedReservations {
  readonly #annotation: string;
  /** One for each owner: the last that was seen of it. */
  readonly #seen = new Map<string, Observed>();

  /** Of the owners of one kind, on which reservations stand in this annotation. */
  constructor(annotation: string) {
    this.#annotation = annotation;
  }

  /** The UID of the member whose deletion was allowed last, while no other member may go down because of it. */
  current(owner: Reserving, clock: Clock): string | undefined {
    const key = textOf(owner.metadata);
    const text = reservationOf(owner, this.#annotation);
    // None is what an old view of the owner shows: what is known stays known.
    if (text === undefined) return undefined;
    const known = this.#seen.get(key);
    const { isOver } = known?.text === text ? known : this.#begin(key, text, clock);
    return isOver ? undefined : reservedFor(text);
  }

  /** Keeps nothing of an owner that is gone. */
  forget(key: ObjectKey): void {
    this.#drop(textOf(key));
  }

  /** Forgets all owners but these, for a caller that gets no event when one is deleted. */
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
