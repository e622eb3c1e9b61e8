import { isApiError, joinSignals, sleep } from '@ordinal/client';
import type { Instant, KubernetesObject } from '@ordinal/client';
import { backoffDelay } from '../queue/backoff.ts';
import { isAsSeen, isBehind, selectOne } from './latest.ts';
import { Outage } from './outage.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { isOlder } from './revision.ts';
import { Shown } from './shown.ts';
import type { WatchFailure } from './watch-failure.ts';
import type { OwnWrite } from './unseen-writes.ts';
import { watchStream } from './watch-stream.ts';

/** Stands in a list for every object that was taken from it. */
const taken: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Taken',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
};

/**
 * Keeps a sink current with one list and watch: it lists, watches from there, resumes after every break at the last revision it has seen, and lists
 * again only when the server no longer knows that revision (410), or does not know it yet. A store that was restored to an older state begins to count again from
 * there, and a watch of a future revision waits without a reply. So each time before it resumes, it asks for the object that has changed last, and with it for
 * the server's present revision. As the new history may have come further than the lost one by then, it lists again also where that object is another one
 * than it was.
 *
 * Evidence of a restored store is a resource version that goes back: of a list, or of an object, against what was shown of it or returned to a write of our own.
 * An object that is missing is no evidence, as any client may have deleted it.
 *
 * Failures are retried forever with back-off and jitter, so that many reflectors do not come back in a herd; a failure is reported when it begins and when it is
 * over.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  #revision: string | undefined;
  readonly #shown = new Shown();
  /** Ends the present list or watch, and the pause after it. */
  #round = new AbortController();
  #lastSign: Instant;
  #failures = 0;
  #verb: 'list' | 'watch' = 'list';
  readonly #outage: Outage;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#lastSign = options.clock.now();
    this.#outage = new Outage(options);
  }

  /** The latest revision that the sink reflects. Undefined before the first list. */
  get revision(): string | undefined {
    return this.#revision;
  }

  /** When the server was last heard of: a list, an event or a bookmark. */
  get lastSign(): Instant {
    return this.#lastSign;
  }

  /** What keeps it from being current; undefined while all is well. */
  get failure(): WatchFailure | undefined {
    return this.#outage.failure;
  }

  /** Runs until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#round = new AbortController();
      const round = joinSignals(signal, this.#round.signal);
      try {
        await this.#followOnce(round.signal);
      } catch (error) {
        if (!round.signal.aborted) await this.#recover(error, round.signal);
      } finally {
        round.release();
      }
    }
  }

  /** Lists again at once, whatever it is at, and forgets which revisions the server has shown. */
  relist(): void {
    this.#revision = undefined;
    this.#shown.forget();
    this.#failures = 0;
    this.#round.abort(new Error('everything is listed again'));
  }

  /** Notes a write of ours of this kind. */
  wrote(write: OwnWrite): void {
    this.#shown.wrote(write);
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    if (this.#revision !== undefined) await this.#confirm(signal);
    if (this.#revision === undefined) await this.#list(signal);
    await this.#watch(signal);
    if (this.#options.sink.wantsList()) this.#revision = undefined;
  }

  /** Asks for the server's present revision, which has to be no older than what was shown, and for the object that was seen, or written, last. */
  async #confirm(signal: AbortSignal): Promise<void> {
    const { source, selection } = this.#options;
    this.#verb = 'list';
    const { revision: known, latest } = this.#shown;
    const { resourceVersion, items } = await source.list({
      ...(latest === undefined ? selection : selectOne(selection, latest.metadata)),
      signal,
      limit: 1,
      maxPages: 1,
      project: (object) => ({ ...taken, metadata: object.metadata }),
    });
    signal.throwIfAborted();
    this.#requireNotOlder(resourceVersion, known, signal);
    if (latest === undefined) return;
    if (isBehind(latest, items[0])) this.#wentBack(signal);
    if (!isAsSeen(latest, items[0])) this.#revision = undefined;
  }

  /** Notes a revision that the server shows. One that is older than what was known before is the end of this round; everything is listed again. */
  #requireNotOlder(revision: string, before: string | undefined, signal: AbortSignal): void {
    this.#shown.saw(revision);
    if (isOlder(revision, before)) this.#wentBack(signal);
  }

  /** Ends this round, with all that was read in it; `relist` aborts its signal. */
  #wentBack(signal: AbortSignal): never {
    this.relist();
    this.#options.onRestored();
    throw signal.reason;
  }

  /** The sink reflects this revision. */
  #cameTo(revision: string): void {
    this.#revision = revision;
    this.#shown.cameTo(revision);
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const expired = isApiError(error, 'Expired', 'Gone');
    if (expired) this.#revision = undefined;
    this.#failures += 1;
    // A watch that ended with 410 or fell silent is routine the first time; anything else is a failure at once.
    if (!(expired && this.#failures === 1)) this.#outage.failed(this.#verb, error);
    await this.#pause(signal).catch(() => undefined);
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random, timing } = this.#options;
    const backoff = { baseMs: timing.backoffBaseMs, capMs: timing.backoffCapMs, jitter: 0.5 };
    await sleep(clock, backoffDelay(this.#failures, backoff, random), signal);
  }

  /** A watch shows that it works. */
  #alive(): void {
    this.#failures = 0;
    this.#current();
  }

  /** The server has just been heard of. The count of failures goes on after a list: a watch that fails after each list must not become a hot loop. */
  #current(): void {
    this.#lastSign = this.#options.clock.now();
    this.#outage.over();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, sink, selection, project } = this.#options;
    this.#verb = 'list';
    const known = this.#shown.revision;
    const awaited = this.#shown.awaited();
    let wentBack = false;
    let latest: KubernetesObject | undefined;
    sink.beginList();
    // Each object goes to the sink as soon as it is read, and its place in the list is taken by one that costs nothing: the list is never held whole.
    const take = (object: KubernetesObject): KubernetesObject => {
      if (awaited.listed(object)) wentBack = true;
      if (sink.listed(project(object))) wentBack = true;
      const { metadata } = object;
      if (latest === undefined || isOlder(latest.metadata.resourceVersion, metadata.resourceVersion))
        latest = { ...taken, metadata };
      return taken;
    };
    const result = await source.list({ ...selection, signal, project: take });
    signal.throwIfAborted();
    this.#requireNotOlder(result.resourceVersion, known, signal);
    if (wentBack) this.#wentBack(signal);
    this.#cameTo(result.resourceVersion);
    this.#shown.settle(awaited);
    this.#shown.sawLatest(latest, false);
    sink.endList(awaited.missing);
    this.#current();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { sink, clock, timing } = this.#options;
    this.#verb = 'watch';
    const startedAt = clock.now();
    this.#lastSign = startedAt;
    const events = watchStream(this.#options, {
      resourceVersion: this.#revision,
      lastSign: () => this.#lastSign,
      // A watch of a quiet kind says nothing more for up to a minute.
      onOpen: () => this.#current(),
      signal,
    });
    for await (const event of events) {
      const { resourceVersion } = event.object.metadata;
      // What was missed is older than the revision that was asked for before the watch went on.
      this.#requireNotOlder(resourceVersion, this.#revision, signal);
      this.#cameTo(resourceVersion);
      if (event.type !== 'BOOKMARK') this.#shown.sawLatest(event.object, event.type === 'DELETED');
      this.#alive();
      sink.changed(event);
    }
    // The server ended the watch in good order. One that ends at once, again and again, must not become a hot loop.
    if (clock.now() - startedAt < timing.backoffBaseMs && !signal.aborted) {
      this.#failures += 1;
      await this.#pause(signal);
    } else {
      this.#alive();
    }
  }
}
