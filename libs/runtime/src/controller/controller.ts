import type { Client, Clock, Instant, KubernetesObject, ObjectKey, Random } from '@ordinal/client';
import type { ControllerDefinition, WatchDeclaration } from '../builder/definition.ts';
import { keyText, kindName, parseKey } from '../cache/key.ts';
import type { KindCache } from '../cache/kind-cache.ts';
import { deepFreeze } from '../cache/freeze.ts';
import { DeclaredReader } from '../cache/reader.ts';
import type { Change } from '../cache/store.ts';
import { messageOf } from '../cache/watch-failure.ts';
import { RuntimeError } from '../error.ts';
import type { RuntimeMetrics } from '../metrics/metrics.ts';
import { primaryChanged } from '../predicate/predicate.ts';
import type { BackoffOptions } from '../queue/backoff.ts';
import { TokenBucket } from '../queue/rate-limit.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Priority } from '../queue/work-queue.ts';
import type { EventRecorder, Logger, Outside } from '../reconciler.ts';
import type { Result } from '../result.ts';
import { OwnWrites } from '../writes/own-writes.ts';
import { ForeignStatus, foreignStatusMs } from './foreign-status.ts';
import { HotLoops } from './hot-loop.ts';
import { RequeueThrottle } from './requeue-throttle.ts';
import { reconcileClient } from './reconcile-client.ts';
import { Deadline } from './deadline.ts';
import { verdictOn } from './failure.ts';
import type { OutsideCalls } from '../outside/outside-calls.ts';
import type { Turn } from './workers.ts';
import { Workers } from './workers.ts';
import type { Term } from './terms.ts';
import { Terms } from './terms.ts';
import { untilAborted } from './until-aborted.ts';

/** Unless a definition says otherwise. */
const defaults = {
  concurrency: 1,
  timeoutMs: 300_000,
  backoff: { baseMs: 250, capMs: 300_000, jitter: 0.2 } satisfies BackoffOptions,
};

/** After so many reconciles, everything else that waits has its turn. */
const begunInARow = 64;

/** How much a controller has to do. */
export interface ControllerLoad {
  /** Keys that wait to be worked on. */
  readonly waiting: number;
  /** Keys that wait for a time to come. */
  readonly delayed: number;
  /** Keys that are worked on, those that wait for a call to the outside among them. */
  readonly active: number;
  /** How long each of them has been worked on, in milliseconds. */
  readonly runningMs: readonly number[];
}

/** What a controller runs on. */
export interface ControllerEnvironment {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics;
  readonly events: EventRecorder;
  /** The cache of each declared kind, by `kindName`. */
  readonly caches: ReadonlyMap<string, KindCache>;
  /** The places for calls to the outside. */
  readonly outside: OutsideCalls;
  /** How many slots the keys are shared in among the replicas. 1 by default. */
  readonly slots?: number;
  /** Throws while no write may be begun by work on this key, as after a lost lease. */
  readonly permitWrite: (key: string) => void;
  /** When the API server's store was last noticed to be restored to an older state. */
  readonly restoredAt?: () => Instant | undefined;
}

/**
 * Runs one definition: turns changes into keys, and works on keys, each by one worker at a time. It takes changes in from the time it is made, so
 * that a standby is warm; it works on the keys of a slot only while `run` does.
 */
export class Controller {
  readonly definition: ControllerDefinition;
  readonly #env: ControllerEnvironment;
  readonly #log: Logger;
  readonly #queue: WorkQueue;
  readonly #reader: DeclaredReader;
  readonly #own: OwnWrites;
  readonly #hotLoops: HotLoops;
  readonly #foreignStatus: ForeignStatus;
  readonly #held = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #requeueThrottle = new RequeueThrottle();
  readonly #limit: TokenBucket | undefined;
  readonly #terms: Terms;
  readonly #workers: Workers;
  /** Whether a worker went last to a reconcile that came back from a call: the next one goes to a new one, so that neither starves the other. */
  #resumedLast = false;
  #timers: readonly { stop(): void }[] = [];
  /** For each key that waits: the id that its logs will have, from the change that woke it to the last write. */
  readonly #ids = new Map<string, string>();
  readonly #running = new Map<string, Instant>();
  #sequence = 0;
  /** True while nothing is begun until a timer has fired: for the rate limit, or to let other work have its turn. */
  #paused = false;
  #begunInARow = 0;

  constructor(definition: ControllerDefinition, environment: ControllerEnvironment) {
    this.definition = definition;
    this.#env = environment;
    this.#log = environment.log.child({ controller: definition.name });
    this.#terms = new Terms(environment.slots ?? 1);
    this.#queue = new WorkQueue(environment.clock, () => this.#pump());
    this.#workers = new Workers(definition.options.concurrency ?? defaults.concurrency, () => {
      this.#noteWorkers();
      this.#pump();
    });
    this.#reader = new DeclaredReader(definition.name, environment.caches);
    this.#own = new OwnWrites((descriptor) => environment.caches.get(kindName(descriptor)));
    this.#hotLoops = new HotLoops(environment.clock);
    this.#foreignStatus = new ForeignStatus({
      isRunning: (key) => this.#running.has(key),
      isOwn: (key, object) => this.#own.isOwn(key, definition.primary, object),
      found: (key) => {
        // Who takes over looks at every key anyway.
        if (this.#terms.openFor(key) !== undefined) this.#queue.addAfter(key, foreignStatusMs, 'settled');
      },
    });
    const { rateLimit } = definition.options;
    this.#limit = rateLimit === undefined ? undefined : new TokenBucket(rateLimit, environment.clock);
    for (const watch of definition.watches) this.#listen(watch);
    for (const channel of definition.channels) channel.listen((key) => this.#add(keyText(key), 'fresh'));
  }

  /** How much there is to do. */
  get load(): ControllerLoad {
    const now = this.#env.clock.now();
    const runningMs = [...this.#running.values()].map((since) => now - since);
    return { waiting: this.#queue.depth, delayed: this.#queue.delayed, active: this.#running.size, runningMs };
  }

  /** Wakes a key. */
  enqueue(key: ObjectKey): void {
    this.#add(keyText(key), 'fresh');
  }

  /**
   * Looks at every object of its own kind in a slot once, since an earlier holder may have left work half done, and works on the slot until the signal is
   * aborted. Then it lets what is under way come to its end: for `drainMs()` undisturbed, after that with its signal aborted. Resolves when nothing of the slot
   * is worked on any more.
   */
  async run(slot: number, signal: AbortSignal, drainMs: () => number): Promise<void> {
    if (!this.#terms.isOpen) {
      this.#stopTimers();
      this.#timers = this.definition.timers.map((timer) => this.#startTimer(timer));
    }
    const term = this.#terms.begin(slot, signal);
    // Each once: work on the first begins at once, and one that is added meanwhile comes again.
    const due = new Set(this.#terms.unpark(slot));
    for (const key of this.#primaryCache().store.keys()) if (this.#terms.isIn(slot, key)) due.add(key);
    for (const key of due) this.#add(key, 'settled');
    this.#pump();
    await untilAborted(signal);
    if (!this.#terms.isOpen) this.#stopTimers();
    const stopping = new RuntimeError('Stopping', `controller ${this.definition.name} stops`, { cause: signal.reason });
    const drain = drainMs();
    if (drain <= 0) term.abortWork.abort(stopping);
    const deadline = this.#env.clock.after(drain, () => term.abortWork.abort(stopping));
    await term.idle();
    deadline.cancel();
    this.#terms.end(slot);
  }

  /** Forgets what it has written and what has failed. Called while it does not run: the store was restored to an older state. */
  forget(): void {
    this.#own.forget();
    this.#failures.clear();
  }

  #listen(watch: WatchDeclaration): void {
    const cache = this.#env.caches.get(kindName(watch.descriptor));
    if (cache === undefined)
      throw new TypeError(`controller ${this.definition.name}: no cache was made for ${kindName(watch.descriptor)}`);
    for (const [name, values] of Object.entries(watch.indexes)) cache.store.addIndex(name, values);
    if (watch.handler !== undefined) cache.subscribe((change) => this.#changed(watch, change));
  }

  #changed(watch: WatchDeclaration, change: Change): void {
    if (change.partial) {
      this.#wakeAllBeside(change.object);
      return;
    }
    try {
      if (watch.predicate?.(change) === false) {
        // Who says what counts has said whether a status does.
        if (watch.use === 'for' && watch.predicate === primaryChanged) this.#foreignStatus.notice(change);
        return;
      }
      deepFreeze(change.object);
      const context = { primary: this.definition.primary, cache: this.#reader };
      const keys = new Set<string>();
      for (const key of watch.handler?.(change.object, context) ?? []) keys.add(keyText(key));
      if (change.old !== undefined)
        for (const key of watch.handler?.(change.old, context) ?? []) keys.add(keyText(key));
      const revision = change.object.metadata.resourceVersion;
      for (const key of keys) {
        // A standby begins no reconcile that would look at these: for weeks of changes it would only keep them.
        if (this.#terms.openFor(key) !== undefined) this.#hotLoops.woken(key, revision);
        this.#log.debug(
          { reconcile: this.#idFor(key), key, change: change.type, kind: watch.descriptor.kind, revision },
          'woken',
        );
        this.#add(key, change.initial ? 'settled' : 'fresh');
      }
    } catch (error) {
      const { name, namespace } = change.object.metadata;
      this.#log.error(
        { kind: kindName(watch.descriptor), namespace, name, error: messageOf(error) },
        'a predicate or handler threw: this change woke no reconcile',
      );
    }
  }

  /** It is unknown which keys a state concerned that was too large to be kept: all keys of its namespace are queued. */
  #wakeAllBeside({ metadata: { namespace } }: KubernetesObject): void {
    const isNamespaced = this.definition.primary.scope === 'Namespaced';
    for (const key of this.#primaryCache().store.keys(isNamespaced ? namespace : undefined)) this.#add(key, 'settled');
  }

  #primaryCache(): KindCache {
    const cache = this.#env.caches.get(kindName(this.definition.primary));
    if (cache === undefined)
      throw new TypeError(`controller ${this.definition.name}: no cache was made for its own kind`);
    return cache;
  }

  #startTimer({ everyMs, keys }: ControllerDefinition['timers'][number]): { stop(): void } {
    const { clock, random } = this.#env;
    const fire = (): void => {
      const due = keys === undefined ? this.#primaryCache().store.keys() : Array.from(keys(this.#reader), keyText);
      for (const key of due) this.#add(key, 'settled');
      timer = clock.after(everyMs, fire);
    };
    // The first round comes at a random time, so that the timers of many operators do not strike together.
    let timer = clock.after(everyMs * random(), fire);
    return { stop: () => timer.cancel() };
  }

  #stopTimers(): void {
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
  }

  #add(key: string, priority: Priority): void {
    if (this.#terms.openFor(key) === undefined) {
      this.#terms.park(key);
      return;
    }
    this.#env.metrics.queueAdded(this.definition.name);
    this.#queue.add(key, priority);
    this.#env.metrics.queueDepth(this.definition.name, this.#queue.depth);
  }

  /** Gives free workers to the reconciles that want one: in turns to a reconcile that has come back from a call, and to a new one. Who has begun goes on in any case. */
  #pump(): void {
    while (this.#workers.isFree) {
      const mayBegin = this.#terms.isOpen && !this.#paused && this.#queue.hasNext;
      const returns = this.#workers.returning > 0;
      if (mayBegin && (this.#resumedLast || !returns)) {
        this.#resumedLast = false;
        this.#begin();
      } else if (returns) {
        this.#resumedLast = true;
        this.#workers.resume();
      } else return;
    }
  }

  #begin(): void {
    if (!this.#allowed()) return;
    const item = this.#queue.take();
    if (item === undefined) return;
    const term = this.#terms.openFor(item.key);
    if (term === undefined) {
      // It was queued, or was to be looked at later, when its slot was worked on here.
      this.#queue.done(item.key);
      this.#terms.park(item.key);
      return;
    }
    if (!this.#own.visible(item.key)) {
      this.#hold(item.key);
      return;
    }
    void this.#work(item.key, item.since, term);
    // Reconciles with nothing to do follow each other without ever giving the event loop back: ten thousand of them would hold it.
    this.#begunInARow += 1;
    if (this.#begunInARow >= begunInARow) this.#pause(0);
  }

  #allowed(): boolean {
    const waitMs = this.#limit?.take() ?? 0;
    if (waitMs === 0) return true;
    this.#pause(waitMs);
    return false;
  }

  #pause(ms: number): void {
    this.#paused = true;
    this.#begunInARow = 0;
    this.#env.clock.after(ms, () => {
      this.#paused = false;
      this.#pump();
    });
  }

  /** Puts a key off until the caches show what it wrote. */
  #hold(key: string): void {
    this.#queue.done(key);
    if (this.#held.has(key)) return;
    this.#held.add(key);
    this.#env.metrics.heldBack(this.definition.name);
    this.#own.whenVisible(key, () => {
      this.#held.delete(key);
      this.#queue.add(key, 'fresh');
    });
  }

  async #work(key: string, since: Instant, term: Term): Promise<void> {
    const { clock, metrics } = this.#env;
    const { name, options } = this.definition;
    const startedAt = clock.now();
    const turn = this.#workers.begin(key);
    term.begin();
    this.#noteWorkers();
    metrics.queueWaited(name, (startedAt - since) / 1000);
    metrics.queueDepth(name, this.#queue.depth);
    const id = this.#idFor(key);
    this.#ids.delete(key);
    this.#running.set(key, startedAt);
    const place = parseKey(key);
    const log = this.#log.child({ namespace: place.namespace, name: place.name, reconcile: id });
    const deadline = new Deadline(clock, options.timeoutMs ?? defaults.timeoutMs, term.abortWork.signal);
    const loop = this.#hotLoops.started(key);
    if (loop !== undefined) {
      metrics.hotLoop(name);
      log.warn(
        { rounds: loop },
        'this key is woken again and again by nothing but its own writes: compare before writing',
      );
    }
    try {
      const client = reconcileClient({
        key,
        client: this.#env.client,
        own: this.#own,
        hotLoops: this.#hotLoops,
        log,
        signal: deadline.signal,
        permitWrite: () => this.#env.permitWrite(key),
      });
      await this.#own.settle(key);
      if (this.#own.visible(key))
        this.#succeeded(key, await this.#reconcile(place, { client, log, signal: deadline.signal, turn }), startedAt);
      else this.#queue.add(key);
    } catch (error) {
      this.#failed(key, error, { log, startedAt, timedOut: deadline.passed });
    } finally {
      deadline.clear();
      this.#running.delete(key);
      this.#queue.done(key);
      this.#foreignStatus.ended(key);
      turn.end();
      term.end();
    }
  }

  async #reconcile(
    place: ObjectKey,
    {
      turn,
      ...its
    }: { readonly client: Client; readonly log: Logger; readonly signal: AbortSignal; readonly turn: Turn },
  ): Promise<Result> {
    const { clock, random, events } = this.#env;
    const failures = this.#failures.get(keyText(place)) ?? 0;
    const outside: Outside = (call, how) =>
      turn.outside(() => this.#env.outside.run(place.namespace, call, { ...how, signal: its.signal }));
    const restoredAt = this.#env.restoredAt?.();
    const given = {
      ...its,
      cache: this.#reader,
      clock,
      random,
      events,
      failures,
      outside,
      ...(restoredAt !== undefined && { restoredAt }),
    };
    return await this.definition.reconcile(place, given);
  }

  #idFor(key: string): string {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#sequence += 1;
    const id = `${this.definition.name}-${this.#sequence.toString(36)}`;
    this.#ids.set(key, id);
    return id;
  }

  #noteWorkers(): void {
    this.#env.metrics.activeWorkers(this.definition.name, this.#workers.busy, this.#workers.limit);
  }

  #succeeded(key: string, result: Result, startedAt: Instant): void {
    this.#failures.delete(key);
    this.#queue.cancelDelay(key);
    const again = result.requeueAfterMs;
    if (again === undefined) this.#requeueThrottle.forget(key);
    else this.#lookAgain(key, again);
    const seconds = (this.#env.clock.now() - startedAt) / 1000;
    this.#env.metrics.reconciled(this.definition.name, again === undefined ? 'success' : 'requeue_after', seconds);
  }

  #lookAgain(key: string, askedMs: number): void {
    const { pauseMs, isCircle } = this.#requeueThrottle.nextPause(key, askedMs);
    this.#queue.addAfter(key, pauseMs);
    if (!isCircle) return;
    const { name, namespace } = parseKey(key);
    this.#env.metrics.hotLoop(this.definition.name);
    this.#log.warn(
      { namespace, name },
      'this key asks to be looked at again at once, again and again: say for how long it waits',
    );
  }

  #failed(
    key: string,
    error: unknown,
    attempt: { readonly log: Logger; readonly startedAt: Instant; readonly timedOut: boolean },
  ): void {
    const { metrics, clock, random } = this.#env;
    const { name, options } = this.definition;
    const backoff = options.backoff ?? defaults.backoff;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const { stale, retry, delayMs } = verdictOn(error, failures, { backoff, random });
    this.#queue.cancelDelay(key);
    this.#queue.addAfter(key, delayMs);
    const seconds = (clock.now() - attempt.startedAt) / 1000;
    metrics.queueRetried(name);
    const retryInMs = Math.round(delayMs);
    if (stale && !attempt.timedOut) {
      metrics.reconciled(name, 'requeue', seconds);
      attempt.log.info(
        { error: messageOf(error), failures, retryInMs },
        'something has changed meanwhile; looking again',
      );
      return;
    }
    metrics.reconciled(name, 'error', seconds);
    if (retry === 'terminal') metrics.terminalError(name);
    if (attempt.timedOut) metrics.reconcileTimedOut(name);
    attempt.log.error(
      {
        error: messageOf(error),
        stack: error instanceof Error ? error.stack : undefined,
        failures,
        retry,
        retryInMs,
      },
      attempt.timedOut ? 'the reconcile ran out of time' : 'the reconcile failed',
    );
  }
}
