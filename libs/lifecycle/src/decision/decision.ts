import type { Instant, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { Action } from './action.ts';

/** An event to publish with the status. Decide it on transitions only: it is published each time that it is decided. What lasts says how often (`atMostEveryMs`). */
export interface Announcement {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, short: what happened. */
  readonly reason: string;
  readonly note: string;
  /** The same event is not emitted again before so much time has passed, in milliseconds. */
  readonly atMostEveryMs?: number;
  /** The object that it is about. Absent: the object whose status is written. */
  readonly regarding?: KubernetesObject;
}

/** The status that an object should show. It is written only where it differs, on the object as it was seen. */
export interface StatusWrite {
  readonly descriptor: ResourceDescriptor;
  /** The object as it was seen, its present status included. */
  readonly object: KubernetesObject & { readonly status?: unknown };
  /** The whole status: what is missing here is removed. */
  readonly status: object;
  /**
   * `first` by default: before the actions, so that what they rely on (a failed revision, a start) is durable before the first of them, and so
   * that nothing is done on a view of the object that has changed. `last`: after them.
   */
  readonly order?: 'first' | 'last';
  /** It replaces a status that is not believed, and follows from nothing that stood there. */
  readonly fromScratch?: boolean;
}

/** Gives a status the seal by which it is believed later on (`SealedStatuses`). */
export type SealStatus = (write: StatusWrite) => object;

/** The status as it is, for operators that believe every status that they read. Nothing that must not be forged may rest on one. */
export const unsealed: SealStatus = ({ status }) => status;

interface Outcome<C> {
  /** Carried out in order. One that fails holds back those after it that need it (`Action.needs`, `Action.neededBy`); the next reconcile observes afresh. */
  readonly actions: readonly Action<C>[];
  /** When to look again although nothing wakes us; left out where an event is sure to come. */
  readonly lookAgainAt?: Instant;
}

interface WithStatus<C> extends Outcome<C> {
  readonly status: StatusWrite;
  readonly events?: readonly Announcement[];
}

interface WithoutStatus<C> extends Outcome<C> {
  readonly status?: never;
  /** Published after the actions. No status says what they are about, so each says it itself. */
  readonly events?: readonly (Announcement & Required<Pick<Announcement, 'regarding'>>)[];
}

/** The whole outcome of a reconcile, as data. */
export type Decision<C = never> = WithStatus<C> | WithoutStatus<C>;

/** Nothing to do and nothing to say. */
export const nothing: Decision = { actions: [] };

/** The earliest of the times that are given; undefined where none is. */
export function earliest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  const given = moments.filter((instant) => instant !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
