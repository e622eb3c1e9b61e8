import { isApiError, joinSignals, sleep } from '@ordinal/client';
import type { Clock, Instant, KubernetesObject, Random, ResourceDescriptor, WatchEvent } from '@ordinal/client';
import type {
  KindClient,
  KubernetesObjectInput,
  ListOptions,
  Projection,
  Selection,
  WatchOptions,
} from '@ordinal/client';
import { backoffDelay } from '../queue/backoff.ts';
import { kindName } from './key.ts';
import { isAsSeen, selectOne } from './latest.ts';
import { isOlder, Shown } from './shown.ts';
import type { OwnWrite } from './shown.ts';
import { watchSilence } from './silence.ts';
import type { ReflectorTiming } from './timing.ts';
import { SilentWatchError, codeOf, messageOf } from './trouble.ts';
import type { WatchTrouble } from './trouble.ts';

/** Where a reflector lists and watches: a kind in the cluster or in one namespace. */
export type WatchSource = Pick<KindClient<KubernetesObject, KubernetesObjectInput>, 'list' | 'watch'>;

/** Who takes in what a reflector reads. */
export interface ReflectorSink {
  /** A consistent list begins: what it does not bring is gone when it ends. */
  beginList(): void;
  /** Answers whether the sink had the object in a later state: no list may ever bring an earlier one. */
  listed(object: KubernetesObject): boolean;
  endList(revision: string): void;
  changed(event: WatchEvent<KubernetesObject>): void;
  /** Whether a list would bring more than the watch goes on with: asked when a watch has ended. */
  wantsList(): boolean;
}

/** Stands in a list for every object that was taken from it. */
const taken: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Taken',
  metadata: { name: '', uid: '', resourceVersion: '', creationTimestamp: '' },
};

/** What a reflector needs. */
export interface ReflectorOptions {
  readonly descriptor: ResourceDescriptor;
  readonly source: WatchSource;
  readonly namespace?: string;
  readonly selection: Selection;
  readonly project: Projection;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: ReflectorSink;
  readonly timing: ReflectorTiming;
  readonly onTrouble: (trouble: WatchTrouble | undefined, error?: unknown) => void;
  /** The server has shown a revision that is older than one that it had shown before: its store was restored to an older state. */
  readonly onRestored: () => void;
}

/**
 * Keeps a sink current with one list and watch: it lists, watches from there, resumes after every break at the last revision it has seen, and lists
 * again only when the server no longer knows that revision (410), or does not know it yet: a store that was restored to an older state begins to count anew from
 * there, and a watch of a revision to come waits without a word. So each time before it resumes, it asks for the object that has changed last, and with it for
 * the server's present revision: as the new history may have come further than the lost one by then, it lists again also where that object is another one
 * than it was, and for a write of its own that it has not seen. Failures are retried for ever with back-off and jitter, so that many reflectors do not come back in a herd; the trouble is told once it begins
 * and once it is over.
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
  #trouble: WatchTrouble | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#lastSign = options.clock.now();
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
  get trouble(): WatchTrouble | undefined {
    return this.#trouble;
  }

  /** The namespace it is scoped to; undefined for the cluster. */
  get namespace(): string | undefined {
    return this.#options.namespace;
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

  /** Lists anew at once, whatever it is at, and forgets which revisions the server has shown. */
  relist(): void {
    this.#revision = undefined;
    this.#shown.forget();
    this.#failures = 0;
    this.#round.abort(new Error('everything is listed anew'));
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

  /** Asks for the server's present revision, which has to be no older than what was shown, and for the object that was seen last. */
  async #confirm(signal: AbortSignal): Promise<void> {
    const { source, selection } = this.#options;
    this.#verb = 'list';
    const known = this.#shown.revision;
    const { state: latest, isUnseenWrite } = this.#shown.latest(this.#revision);
    const { resourceVersion, items } = await source.list({
      ...(latest === undefined ? selection : selectOne(selection, latest.metadata)),
      signal,
      limit: 1,
      maxPages: 1,
      project: (object) => ({ ...taken, metadata: object.metadata }),
    });
    signal.throwIfAborted();
    this.#showed(resourceVersion, known, signal);
    if (latest === undefined || isAsSeen(latest, items[0])) return;
    // Nobody would be told that what was written, and never seen, is not there.
    if (isUnseenWrite && items[0] === undefined) this.#wentBack(signal);
    this.#revision = undefined;
  }

  /** Notes a revision that the server shows. One that is older than what was known before is the end of this round; everything is listed anew. */
  #showed(revision: string, before: string | undefined, signal: AbortSignal): void {
    this.#shown.saw(revision);
    if (isOlder(revision, before)) this.#wentBack(signal);
  }

  #wentBack(signal: AbortSignal): void {
    this.relist();
    this.#options.onRestored();
    signal.throwIfAborted();
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, timing } = this.#options;
    const expired = isApiError(error, 'Expired', 'Gone');
    if (expired) this.#revision = undefined;
    this.#failures += 1;
    // A watch that ended with 410 or fell silent is routine the first time; anything else is trouble at once.
    if (!(expired && this.#failures === 1)) this.#report(error);
    const backoff = { baseMs: timing.backoffBaseMs, capMs: timing.backoffCapMs, jitter: 0.5 };
    await sleep(clock, backoffDelay(this.#failures, backoff, random), signal).catch(() => undefined);
  }

  #report(error: unknown): void {
    const { descriptor, namespace, clock, onTrouble } = this.#options;
    const before = this.#trouble;
    const trouble: WatchTrouble = {
      kind: kindName(descriptor),
      ...(namespace !== undefined && { namespace }),
      verb: this.#verb,
      code: codeOf(error),
      message: messageOf(error),
      since: before?.since ?? clock.now(),
    };
    this.#trouble = trouble;
    if (before === undefined || before.code !== trouble.code || before.verb !== trouble.verb) onTrouble(trouble, error);
  }

  /** A watch shows that it works. */
  #alive(): void {
    this.#failures = 0;
    this.#current();
  }

  /** The server has just been heard of. The count of failures goes on after a list: a watch that fails after each list must not become a hot loop. */
  #current(): void {
    this.#lastSign = this.#options.clock.now();
    this.#overcome();
  }

  #overcome(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.onTrouble(undefined);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { source, sink, selection, project } = this.#options;
    this.#verb = 'list';
    const known = this.#shown.revision;
    let wentBack = false;
    let latest: KubernetesObject | undefined;
    sink.beginList();
    // Each object goes to the sink as soon as it is read, and its place in the list is taken by one that costs nothing: the list is never held whole.
    const take = (object: KubernetesObject): KubernetesObject => {
      if (sink.listed(project(object))) wentBack = true;
      const { metadata } = object;
      if (latest === undefined || isOlder(latest.metadata.resourceVersion, metadata.resourceVersion))
        latest = { ...taken, metadata };
      return taken;
    };
    const options: ListOptions = { ...selection, signal, project: take };
    const result = await source.list(options);
    signal.throwIfAborted();
    this.#showed(result.resourceVersion, known, signal);
    if (wentBack) this.#wentBack(signal);
    this.#revision = result.resourceVersion;
    this.#shown.sawLatest(latest, false);
    sink.endList(result.resourceVersion);
    this.#current();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { descriptor, source, sink, selection, project, clock, random, timing } = this.#options;
    this.#verb = 'watch';
    const silence = new AbortController();
    const startedAt = clock.now();
    this.#lastSign = startedAt;
    const either = joinSignals(signal, silence.signal);
    const isSilent = (silentMs: number): void => silence.abort(new SilentWatchError(kindName(descriptor), silentMs));
    const watchdog = watchSilence({ clock, silenceMs: timing.silenceMs, lastSign: () => this.#lastSign }, isSilent);
    const options: WatchOptions = {
      ...selection,
      project,
      signal: either.signal,
      ...(this.#revision !== undefined && { resourceVersion: this.#revision }),
      allowWatchBookmarks: true,
      // A watch of a quiet kind says nothing more for up to a minute.
      onOpen: () => this.#current(),
      timeoutSeconds: Math.round((timing.watchMs * (1 + random())) / 1000),
    };
    try {
      for await (const event of source.watch(options)) {
        if (signal.aborted) break;
        // What was missed is older than the revision that was asked for before the watch went on.
        this.#showed(event.object.metadata.resourceVersion, this.#revision, signal);
        this.#revision = event.object.metadata.resourceVersion;
        if (event.type !== 'BOOKMARK') this.#shown.sawLatest(event.object, event.type === 'DELETED');
        this.#alive();
        sink.changed(event);
      }
    } catch (error) {
      throw silence.signal.aborted ? silence.signal.reason : error;
    } finally {
      watchdog.stop();
      either.release();
    }
    if (silence.signal.aborted) throw silence.signal.reason;
    // The server ended the watch in good order. One that ends at once, again and again, must not become a hot loop.
    if (clock.now() - startedAt < timing.backoffBaseMs && !signal.aborted) {
      this.#failures += 1;
      await sleep(
        clock,
        backoffDelay(this.#failures, { baseMs: timing.backoffBaseMs, capMs: timing.backoffCapMs, jitter: 0.5 }, random),
        signal,
      );
    } else {
      this.#alive();
    }
  }
}
