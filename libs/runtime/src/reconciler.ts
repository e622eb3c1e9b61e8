import type {
  Client,
  Clock,
  Instant,
  KubernetesObject,
  KubernetesObjectInput,
  ObjectKey,
  Random,
  ResourceDescriptor,
} from '@ordinal/client';
import type { Result } from './result.ts';

/**
 * Reads from the informer caches. Objects are frozen: a reconciler can keep them, and cannot damage them. A kind that the controller has not
 * declared (`for`, `owns`, `watches`, `reads`) is a `TypeError`, never a hidden informer.
 */
export interface CacheReader {
  get<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    key: ObjectKey,
  ): Read | undefined;
  list<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    options?: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> },
  ): readonly Read[];
  /** The objects that an index, declared with the watch, files under a value. */
  byIndex<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    index: string,
    value: string,
  ): readonly Read[];
  /** How many objects an index files under a value, without looking at any: what to ask where thousands may refer to one. */
  countByIndex(descriptor: ResourceDescriptor, index: string, value: string): number;
  /** The objects whose controller (owner reference with `controller: true`) has this UID. */
  ownedBy<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    ownerUid: string,
  ): readonly Read[];
}

/** What an event says about an object; `regarding` needs no more than its identity. */
export interface EventRecord {
  readonly regarding: KubernetesObject;
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, short: what happened. */
  readonly reason: string;
  /** UpperCamelCase: what was being done. `Reconcile` by default. */
  readonly action?: string;
  readonly note: string;
  /** For what lasts, and is published each time that it is seen: the same is not published again before so much time has passed, in milliseconds. */
  readonly atMostEveryMs?: number;
}

/** Publishes events (`events.k8s.io/v1`), alike ones as a series. Never throws: an event that can't be written is counted and dropped. */
export interface EventRecorder {
  publish(event: EventRecord): void;
}

/** Structured logs. The fields of a child stand in each of its lines. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/**
 * Makes a call to what the operator does not control: a pod, a monitor, a provider. While it lasts the reconcile holds no worker, so that a call that never ends holds
 * up no other key; the key counts as worked on all the while. Calls are bounded, in all and for each namespace, and what is made side by side
 * counts one by one.
 *
 * @throws RuntimeError with code `NoPlace` where the call was not made, for want of a place within 15 s: its answer is unknown.
 */
export type Outside = <T>(call: () => Promise<T>, options?: OutsideOptions) => Promise<T>;

/** How a call waits for its place. */
export interface OutsideOptions {
  /** Before the others of its namespace: for what was announced, and must not be done late. */
  readonly ahead?: boolean;
}

/** All that a reconcile may use. Time, randomness and I/O come from here and from nowhere else. */
export interface ReconcileContext {
  readonly cache: CacheReader;
  /**
   * Writes through it are remembered: this key is not reconciled again on caches that are older than its own writes (read your own writes).
   * Reads through it go to the API server.
   */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** Aborted when the reconcile's timeout has passed, or leadership is lost. */
  readonly signal: AbortSignal;
  readonly outside: Outside;
  /** How many times in a row this key has failed before. */
  readonly failures: number;
  /**
   * When this process last noticed that the API server's store was restored to an older state. What was done outside the cluster until then may stand in no object any more. Undefined
   * where it has noticed none; never later than now, also where the clock was set back.
   */
  readonly restoredAt?: Instant;
  /**
   * Called with each decision before it is carried out, as data: what records decisions takes them from here. Returns whether the decision is to be carried out: with
   * `false`, as in a dry run, nothing of it is. Absent: all are.
   */
  readonly decided?: (decision: object) => boolean;
}

/**
 * Brings the world one step closer to what the object at `key` asks for. It sees the present state, never an event. Calls for one key never overlap.
 * A rejection is logged, counted and retried with back-off forever; it never ends the process and never loses the key.
 */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result>;
