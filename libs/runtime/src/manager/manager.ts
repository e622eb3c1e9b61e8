import { joinSignals, sleep } from '@ordinal/client';
import type { Client, Clock, Instant, KubernetesObject, Random } from '@ordinal/client';
import type { ControllerDefinition } from '../builder/definition.ts';
import { CacheBudget, defaultLimits } from '../cache/budget.ts';
import type { CacheLimits } from '../cache/budget.ts';
import type { KindCache } from '../cache/kind-cache.ts';
import { DeclaredReader } from '../cache/reader.ts';
import { defaultTiming } from '../cache/timing.ts';
import type { ReflectorTiming } from '../cache/timing.ts';
import { Controller } from '../controller/controller.ts';
import type { ControllerLoad } from '../controller/controller.ts';
import { untilAborted } from '../controller/until-aborted.ts';
import { ApiEventRecorder } from '../events/recorder.ts';
import { RuntimeError } from '../error.ts';
import { silentLogger } from '../log/silent.ts';
import { noMetrics } from '../metrics/metrics.ts';
import type { RuntimeMetrics } from '../metrics/metrics.ts';
import { OutsideCalls } from '../outside/outside-calls.ts';
import type { CacheReader, EventRecorder, Logger } from '../reconciler.ts';
import type { LeadershipOptions } from '../leadership/elector.ts';
import { Leadership } from '../leadership/leadership.ts';
import type { WorkOnSlot } from '../leadership/leadership.ts';
import { CacheSet } from './cache-set.ts';
import { Era } from './era.ts';
import { inShard } from './shard.ts';
import { readinessOf } from './readiness.ts';
import type { Readiness } from './readiness.ts';
import type { Shard } from './shard.ts';

/** What a manager runs on. Nothing in it looks at the machine's clock, environment or network by another way. */
export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The operator's name, for events: `cache.my.domain/operator`. */
  readonly name: string;
  /** This process among its replicas: its pod's name. */
  readonly identity: string;
  readonly logger?: Logger;
  readonly metrics?: RuntimeMetrics;
  /** Only these namespaces; all of them by default. */
  readonly namespaces?: readonly string[];
  /** Work only while a lease is held; without it, always. */
  readonly leaderElection?: LeadershipOptions;
  /** The part of the objects that is this manager's. */
  readonly shard?: Shard;
  /** How watches behave. */
  readonly timing?: Partial<ReflectorTiming>;
  /** How long work that is under way may go on when the manager stops, in milliseconds. 20 s by default. */
  readonly drainMs?: number;
  /**
   * How long the caches stay current after the manager was stopped, in milliseconds, for what reads them beside the controllers, such as webhooks. It begins with the
   * stop, and the lease is released meanwhile. 0 by default.
   */
  readonly lingerMs?: number;
  /** How much the caches may hold; half a MiB for an object and 128 MiB in all, by default. */
  readonly cacheLimits?: Partial<CacheLimits>;
  /** Publishes events; through `client` by default. */
  readonly events?: EventRecorder;
}

/** Runs controllers over shared caches. */
export interface Manager {
  /** The places for calls to the outside, which its controllers share: for parts of a program that make some beside them. */
  readonly outside: OutsideCalls;
  /** Adds a controller. Throws a `TypeError` after `start`, and for a name that is taken. */
  add(definition: ControllerDefinition): Manager;
  /** Runs until the signal is aborted or `stop` is called, and resolves when all work has come to its end. */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops, and resolves when all work has come to its end. */
  stop(): Promise<void>;
  /** Whether caches are filled and current; where not, what is in the way, by kind and verb. */
  readiness(): Readiness;
  /** Whether this process may work now: it leads, on one slot at least, or no election was asked for. */
  leads(): boolean;
  /** Which part of the work is this process's now: from 0 to 1. */
  share(): number;
  /** What the caches hold, for metrics. */
  caches(): readonly CacheState[];
  /**
   * Reads what a controller reads, for parts of a program that are no controller: webhooks, metrics. Throws a `TypeError` before `start`, and for a name that
   * no controller has.
   */
  reader(controller: string): CacheReader;
  /** The controllers' load, by name. */
  load(): Readonly<Record<string, ControllerLoad>>;
}

/** The state of one cache. */
export interface CacheState {
  readonly kind: string;
  readonly objects: number;
  /** About how large those are that are kept, as JSON, in bytes. */
  readonly bytes: number;
  /** How many are too large to be kept. */
  readonly withheld: number;
  readonly synced: boolean;
  readonly revision: string | undefined;
  /** The last sign of life of its watch. */
  readonly lastSign: Instant;
}

/** Makes a manager. It does nothing before `start`. */
export function createManager(options: ManagerOptions): Manager {
  return new RunningManager(options);
}

class RunningManager implements Manager {
  readonly outside: OutsideCalls;
  readonly #options: ManagerOptions;
  readonly #log: Logger;
  readonly #definitions: ControllerDefinition[] = [];
  readonly #stopping = new AbortController();
  readonly #events: EventRecorder;
  /** Ends when the API server's store was restored to an older state. */
  #era = new Era();
  #restoredAt: Instant | undefined;
  /** `#restoredAt` as reconciles are given it: never later than now. */
  #lostUntil: Instant | undefined;
  #controllers: readonly Controller[] = [];
  #caches: CacheSet | undefined;
  readonly #leadership: Leadership | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#log = options.logger ?? silentLogger;
    const { leaderElection, client, clock, random, identity } = options;
    this.outside = new OutsideCalls({ clock, metrics: options.metrics ?? noMetrics });
    this.#events = options.events ?? this.#makeRecorder();
    if (leaderElection === undefined) return;
    const metrics = options.metrics ?? noMetrics;
    this.#leadership = new Leadership({
      ...leaderElection,
      client: leaderElection.client ?? client,
      clock,
      random,
      identity,
      metrics,
      log: this.#log,
      onRestored: (knownSince) => {
        // The caches may have noticed it first.
        if ((this.#restoredAt ?? Number.NEGATIVE_INFINITY) < knownSince) this.#restored(`lease ${leaderElection.name}`);
      },
    });
  }

  add(definition: ControllerDefinition): Manager {
    if (this.#running !== undefined)
      throw new TypeError(`controller ${definition.name} comes too late: add it before the manager starts`);
    if (this.#definitions.some(({ name }) => name === definition.name))
      throw new TypeError(`there are two controllers with the name ${definition.name}`);
    this.#definitions.push(definition);
    (this.#options.metrics ?? noMetrics).controllerAdded(definition.name);
    return this;
  }

  start(signal?: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new TypeError('a manager starts once');
    const ending = joinSignals(...(signal === undefined ? [] : [signal]), this.#stopping.signal);
    this.#running = this.#run(ending.signal).finally(ending.release);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the manager was stopped'));
    await this.#running;
  }

  readiness(): Readiness {
    return readinessOf(this.#caches?.all ?? [], {
      started: this.#caches !== undefined,
      now: this.#options.clock.now(),
    });
  }

  leads(): boolean {
    return this.#leadership === undefined || this.#leadership.own.length > 0;
  }

  share(): number {
    return this.#leadership === undefined ? 1 : this.#leadership.own.length / this.#leadership.slots;
  }

  caches(): readonly CacheState[] {
    return (this.#caches?.all ?? []).map((cache) => ({
      kind: cache.name,
      objects: cache.store.size,
      bytes: cache.store.bytes,
      withheld: cache.store.withheld,
      synced: cache.synced,
      revision: cache.revision,
      lastSign: cache.lastSign,
    }));
  }

  reader(controller: string): CacheReader {
    const declared = this.#definitions.find(({ name }) => name === controller);
    if (declared === undefined || this.#caches === undefined)
      throw new TypeError(`there is nothing to read for controller ${controller}: add it and start the manager first`);
    return new DeclaredReader(controller, this.#caches.of(inShard(declared, this.#options.shard)));
  }

  load(): Readonly<Record<string, ControllerLoad>> {
    return Object.fromEntries(this.#controllers.map((controller) => [controller.definition.name, controller.load]));
  }

  async #run(ending: AbortSignal): Promise<void> {
    const definitions = this.#definitions.map((definition) => inShard(definition, this.#options.shard));
    const caches = this.#makeCaches(definitions);
    this.#caches = caches;
    const watching = new AbortController();
    this.#controllers = definitions.map((definition) => this.#makeController(definition, caches));
    const reflecting = caches.run(watching.signal);
    const lingering = this.#linger(ending);
    try {
      await caches.synced(ending);
      if (!ending.aborted) await this.#work(ending, caches);
      await lingering;
    } finally {
      // Watches outlive the workers: a reconcile that is drained still reads from current caches.
      watching.abort(ending.reason);
      await reflecting;
    }
  }

  /** Resolves when the caches have stayed as long as they are to after the signal. */
  async #linger(ending: AbortSignal): Promise<void> {
    const { clock, lingerMs = 0 } = this.#options;
    await untilAborted(ending);
    if (lingerMs > 0) await sleep(clock, lingerMs);
  }

  async #work(ending: AbortSignal, caches: CacheSet): Promise<void> {
    const work: WorkOnSlot = async (slot, signal) => {
      while (!signal.aborted) {
        await caches.synced(signal);
        await this.#nextEra();
        if (!signal.aborted) await this.#era.during((ended) => this.#workOn(slot, signal, ended));
      }
    };
    await (this.#leadership === undefined ? work(0, ending) : this.#leadership.run(ending, work));
  }

  /** Works on a slot until its signal is aborted, or the store is restored. After that nothing counts that was known before. */
  async #workOn(slot: number, signal: AbortSignal, ended: AbortSignal): Promise<void> {
    // Without the lease there is nothing to drain for: no write would be let through.
    const mayWrite = (): boolean => (this.#leadership?.leads(slot) ?? true) && !ended.aborted;
    const drainMs = (): number => (mayWrite() ? (this.#options.drainMs ?? 20_000) : 0);
    const either = joinSignals(signal, ended);
    try {
      const working = this.#controllers.map((controller) => controller.run(slot, either.signal, drainMs));
      // Also where there is no controller at all.
      await Promise.all([...working, untilAborted(either.signal)]);
    } finally {
      either.release();
    }
  }

  /** After a restore: waits until nothing is worked on any more, on any slot, and forgets what was known. */
  async #nextEra(): Promise<void> {
    const era = this.#era;
    if (!era.hasEnded) return;
    await era.idle();
    if (this.#era !== era) return;
    for (const controller of this.#controllers) controller.forget();
    this.#era = new Era();
  }

  /** The API server's store was restored to an older state: no reconcile goes on with what it has read, and everything is read again. */
  #restored(shownBy: string): void {
    this.#log.error(
      { shownBy },
      'the API server shows an older state than before: its store was restored; everything is read again',
    );
    (this.#options.metrics ?? noMetrics).restored();
    this.#restoredAt = this.#lostUntil = this.#options.clock.now();
    this.#caches?.relist();
    this.#era.end(new RuntimeError('Restored', 'the store of the API server was restored to an older state'));
  }

  /** What was done until then may be lost. A clock that was set back since must not make that uncertain time longer: it begins now then, and is in full. */
  #noticedAt(): Instant | undefined {
    if (this.#lostUntil === undefined) return undefined;
    this.#lostUntil = Math.min(this.#lostUntil, this.#options.clock.now());
    return this.#lostUntil;
  }

  #noteWithheld({ metadata: { namespace, name } }: KubernetesObject, { name: kind }: KindCache): void {
    this.#log.warn(
      { kind, namespace, name },
      'this object is too large to be kept: what needs it fails until it is made smaller',
    );
  }

  #makeCaches(definitions: readonly ControllerDefinition[]): CacheSet {
    const { client, clock, random, namespaces, timing } = this.#options;
    const scope = namespaces === undefined ? {} : { namespaces };
    return new CacheSet(definitions, {
      ...scope,
      client,
      clock,
      random,
      timing: { ...defaultTiming, ...timing },
      budget: new CacheBudget({ ...defaultLimits, ...this.#options.cacheLimits }),
      onFailure: (failure, cache) => this.#noteFailure(failure, cache),
      onRestored: (cache) => this.#restored(cache.name),
      onWithheld: (object, cache) => this.#noteWithheld(object, cache),
    });
  }

  #noteFailure(failure: Parameters<ConstructorParameters<typeof CacheSet>[1]['onFailure']>[0], cache: KindCache): void {
    if (failure === undefined) this.#log.info({ kind: cache.name }, 'the watch is current again');
    else this.#log.warn({ ...failure }, `can't ${failure.verb} ${failure.kind}; the cache is not current`);
  }

  #makeController(definition: ControllerDefinition, caches: CacheSet): Controller {
    const { client, clock, random } = this.#options;
    const metrics = this.#options.metrics ?? noMetrics;
    return new Controller(definition, {
      client,
      clock,
      random,
      log: this.#log,
      metrics,
      events: this.#events,
      outside: this.outside,
      caches: caches.of(definition),
      slots: this.#leadership?.slots ?? 1,
      permitWrite: (key) => this.#leadership?.permitWrite(key),
      restoredAt: () => this.#noticedAt(),
    });
  }

  /** One for all controllers: its bounds are the process's. */
  #makeRecorder(): EventRecorder {
    const { client, clock, name, identity, metrics = noMetrics } = this.#options;
    return new ApiEventRecorder({
      client,
      clock,
      metrics,
      log: this.#log,
      reportingController: name,
      reportingInstance: identity,
    });
  }
}
