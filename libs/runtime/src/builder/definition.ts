import type { KubernetesObject, ObjectKey, ResourceDescriptor, Selection } from '@ordinal/client';
import type { IndexFunction } from '../cache/store.ts';
import type { Handler } from '../handler/handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { BackoffOptions } from '../queue/backoff.ts';
import type { RateLimit } from '../queue/rate-limit.ts';
import type { CacheReader, Reconcile } from '../reconciler.ts';
import type { Channel } from '../source/channel.ts';

/** How a controller uses a kind. `reads` fills a cache and wakes no reconcile. */
export type Use = 'for' | 'owns' | 'watches' | 'reads';

/** One kind that a controller reads, and what a change of it wakes. */
export interface WatchDeclaration {
  readonly use: Use;
  readonly descriptor: ResourceDescriptor;
  readonly selection: Selection;
  readonly predicate?: Predicate;
  readonly handler?: Handler<KubernetesObject, string>;
  readonly indexes: Readonly<Record<string, IndexFunction>>;
}

/**
 * A verb that a controller needs beside what it watches. `get` and `list` are for what is read past the caches, such as `log`, and for what is opened by
 * a GET, such as `exec` and `proxy`.
 */
export type WriteVerb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** One kind, or a subresource of it, that a controller writes. */
export interface WriteDeclaration {
  readonly descriptor: ResourceDescriptor;
  readonly verbs: readonly WriteVerb[];
  /** `status`, `scale`, `eviction`, `exec` … */
  readonly subresource?: string;
}

/** Keys that come again and again as time passes. */
export interface TimerDeclaration {
  readonly everyMs: number;
  /** Which keys; all of the controller's own kind by default. */
  readonly keys?: (cache: CacheReader) => Iterable<ObjectKey>;
}

/** How a controller works. */
export interface ControllerOptions {
  /** How many keys are worked on at a time. 1 by default. */
  readonly concurrency?: number;
  /** After this long a reconcile's signal is aborted. It still holds its key until it ends. 5 minutes by default. */
  readonly timeoutMs?: number;
  /** The delays after failures. By default they double from 0.25 s to 5 minutes, and each is up to a fifth shorter at random. */
  readonly backoff?: BackoffOptions;
  /** An upper limit of reconciles. None by default. */
  readonly rateLimit?: RateLimit;
  /**
   * The controller reads all objects of its kinds, whatever the manager's shard is: for what objects of several shards have in common. Every shard's
   * manager then does the same work, so what it writes must bear being written twice.
   */
  readonly everyShard?: boolean;
}

/** A controller as data: what it reads and writes, what wakes it, and what it does. A manager runs it; an install chart derives permissions from it. */
export interface ControllerDefinition {
  readonly name: string;
  readonly primary: ResourceDescriptor;
  readonly watches: readonly WatchDeclaration[];
  readonly writes: readonly WriteDeclaration[];
  readonly timers: readonly TimerDeclaration[];
  readonly channels: readonly Channel[];
  readonly options: ControllerOptions;
  readonly reconcile: Reconcile;
}
