import type {
  Clock,
  Instant,
  KubernetesObject,
  ObjectKey,
  Projection,
  Random,
  ResourceDescriptor,
  Selection,
  WatchEvent,
} from '@ordinal/client';
import type { CacheBudget } from './budget.ts';
import { keyOf, keyText, kindName } from './key.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorSink, WatchSource } from './reflector-options.ts';
import { compareRevisions } from './revision.ts';
import type { ReflectorTiming } from './timing.ts';
import { Store } from './store.ts';
import type { Change } from './store.ts';
import type { OwnWrite } from './unseen-writes.ts';
import type { WatchFailure } from './watch-failure.ts';

/** A cache that is older than this does not show an own write yet. */
export interface Floor {
  readonly key: ObjectKey;
  /** The revision that the write returned; undefined for a deletion, which returns none. */
  readonly revision?: string;
  /** For a deletion: the object with this UID has to be gone. */
  readonly goneUid?: string;
  /** How many lists the reflector had begun when the write was answered: a list that began later shows it in any case. */
  readonly listsBegun: number;
}

/** What a cache of one kind needs. */
export interface KindCacheOptions {
  readonly descriptor: ResourceDescriptor;
  readonly selection: Selection;
  /** What is kept of each object. */
  readonly project: Projection;
  /** One source for each namespace, or one without a namespace for the cluster. */
  readonly sources: readonly { readonly namespace?: string; readonly source: WatchSource }[];
  /** What it may hold, together with others. */
  readonly budget: CacheBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly timing: ReflectorTiming;
  readonly onFailure: (failure: WatchFailure | undefined, cache: KindCache, error?: unknown) => void;
  /** The API server's store was restored to an older state: everything that was read before may be wrong. */
  readonly onRestored: (cache: KindCache) => void;
  /** An object is too large to be kept; it is reported once, until it is kept or gone. */
  readonly onWithheld: (object: KubernetesObject, cache: KindCache) => void;
}

interface Scope {
  readonly reflector: Reflector;
  listsBegun: number;
  lastListCompleted: number;
  synced: boolean;
}

/**
 * The cache of one kind and selection, however many controllers use it: the store, what keeps it current, and the listeners to its changes.
 */
export class KindCache {
  readonly descriptor: ResourceDescriptor;
  readonly selection: Selection;
  readonly store: Store;
  readonly #scopes = new Map<string | undefined, Scope>();
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #waiting = new Map<string, { readonly floor: Floor; readonly reached: () => void }[]>();
  readonly #syncWaiters: (() => void)[] = [];
  readonly #onWithheld: KindCacheOptions['onWithheld'];
  readonly #project: Projection;

  constructor(options: KindCacheOptions) {
    this.descriptor = options.descriptor;
    this.selection = options.selection;
    this.store = new Store(options.budget);
    this.#onWithheld = options.onWithheld;
    this.#project = options.project;
    for (const { namespace, source } of options.sources) this.#addScope(options, namespace, source);
  }

  #addScope(options: KindCacheOptions, namespace: string | undefined, source: WatchSource): void {
    const reflector = new Reflector({
      ...options,
      source,
      ...(namespace !== undefined && { namespace }),
      sink: this.#sink(namespace),
      onFailure: (failure, error) => options.onFailure(failure, this, error),
      onRestored: () => options.onRestored(this),
    });
    this.#scopes.set(namespace, { reflector, listsBegun: 0, lastListCompleted: 0, synced: false });
  }

  /** `statefulsets.apps`. */
  get name(): string {
    return kindName(this.descriptor);
  }

  /** Whether every list has come in once. */
  get synced(): boolean {
    return [...this.#scopes.values()].every((scope) => scope.synced);
  }

  /** What keeps it from being current. */
  get failures(): readonly WatchFailure[] {
    return [...this.#scopes.values()].flatMap(({ reflector }) => reflector.failure ?? []);
  }

  /** When the least recently heard of watch last showed a sign of life. */
  get lastSign(): Instant {
    return Math.min(...[...this.#scopes.values()].map(({ reflector }) => reflector.lastSign));
  }

  /** The latest revision that it reflects, for metrics; undefined before the first list. With several namespaces: of the first. */
  get revision(): string | undefined {
    return this.#scopes.values().next().value?.reflector.revision;
  }

  /** Runs all reflectors until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#scopes.values()].map(({ reflector }) => reflector.run(signal)));
  }

  /** Lists everything again; until that has come in, the cache shows what it had, and is not synced. */
  relist(): void {
    for (const scope of this.#scopes.values()) {
      scope.synced = false;
      scope.reflector.relist();
    }
  }

  /** Calls back once, when every list has come in. */
  onSynced(action: () => void): void {
    if (this.synced) action();
    else this.#syncWaiters.push(action);
  }

  /** Notifies a listener of every change from now on. */
  subscribe(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Notes an own write, by the object that the server has returned: no list may ever show an older revision of it. */
  wrote(object: KubernetesObject, { isRemoval, isShown }: Pick<OwnWrite, 'isRemoval' | 'isShown'>): void {
    const key = keyOf(object);
    const { resourceVersion: revision } = object.metadata;
    this.#scopeOf(key)?.reflector.wrote({ key, revision, isRemoval, isShown, object: this.#project(object) });
  }

  /** How many lists have begun where the object at this key would be read; a floor carries it. */
  listsBegun(key: ObjectKey): number {
    return this.#scopeOf(key)?.listsBegun ?? 0;
  }

  /** Whether an object at this key would come to this cache at all, by its namespace. */
  covers(key: ObjectKey): boolean {
    return this.#scopeOf(key) !== undefined;
  }

  /** Whether the cache shows an own write. True also where no watch would ever show it. */
  reached(floor: Floor): boolean {
    const scope = this.#scopeOf(floor.key);
    if (scope === undefined || scope.lastListCompleted > floor.listsBegun) return true;
    const key = keyText(floor.key);
    if (floor.revision === undefined) return this.store.uidAt(key) !== floor.goneUid;
    const shown = this.store.revisionAt(key);
    if (shown !== undefined && compareRevisions(shown, floor.revision) >= 0) return true;
    const seen = scope.reflector.revision;
    return seen !== undefined && compareRevisions(seen, floor.revision) >= 0;
  }

  /** Calls back once, when the cache shows an own write. */
  whenReached(floor: Floor, action: () => void): void {
    if (this.reached(floor)) {
      action();
      return;
    }
    const key = keyText(floor.key);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [{ floor, reached: action }]);
    else waiting.push({ floor, reached: action });
  }

  #scopeOf(key: ObjectKey): Scope | undefined {
    return this.#scopes.get(undefined) ?? this.#scopes.get(key.namespace);
  }

  #sink(namespace: string | undefined): ReflectorSink {
    const scopeHere = (): Scope => {
      const scope = this.#scopes.get(namespace);
      if (scope === undefined) throw new Error(`no scope for namespace ${namespace ?? '(all)'}`);
      return scope;
    };
    let unseen = new Set<string>();
    let listNumber = 0;
    return {
      beginList: () => {
        const scope = scopeHere();
        scope.listsBegun += 1;
        listNumber = scope.listsBegun;
        unseen = new Set(this.store.keys(namespace));
      },
      listed: (object) => {
        const key = keyText(keyOf(object));
        const { uid, resourceVersion } = object.metadata;
        const known = this.store.uidAt(key) === uid ? this.store.revisionAt(key) : undefined;
        const isFirst = !scopeHere().synced;
        unseen.delete(key);
        this.#put(object, { initial: true, isFirst });
        return !isFirst && known !== undefined && compareRevisions(resourceVersion, known) < 0;
      },
      endList: (missing) => {
        const known = new Set(unseen);
        for (const key of unseen) this.#notify(this.store.remove(key));
        // No watch would ever say that these are not there.
        for (const object of missing)
          if (!known.has(keyText(keyOf(object)))) this.#notify({ type: 'deleted', object, initial: false });
        unseen = new Set();
        const scope = scopeHere();
        scope.lastListCompleted = listNumber;
        scope.synced = true;
        this.#releaseAll();
        if (this.synced) for (const action of this.#syncWaiters.splice(0)) action();
      },
      changed: (event) => this.#changed(event),
      wantsList: () => this.store.withheld > 0,
    };
  }

  #changed(event: WatchEvent<KubernetesObject>): void {
    if (event.type === 'BOOKMARK') {
      this.#releaseAll();
      return;
    }
    const key = keyText(keyOf(event.object));
    if (event.type === 'DELETED') this.#notify(this.store.remove(key, event.object));
    else this.#put(event.object, { initial: false, isFirst: false });
    this.#release(key);
  }

  #put(object: KubernetesObject, as: { readonly initial: boolean; readonly isFirst: boolean }): void {
    const change = this.store.put(object, as.initial, as.isFirst);
    this.#notify(change);
    if (change !== undefined && change.partial !== true && this.store.isWithheld(keyText(keyOf(object))))
      this.#onWithheld(object, this);
  }

  #notify(change: Change | undefined): void {
    if (change === undefined) return;
    for (const listener of this.#listeners) listener(change);
  }

  #release(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    const still = waiting.filter(({ floor }) => !this.reached(floor));
    if (still.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, still);
    for (const { floor, reached } of waiting) if (this.reached(floor)) reached();
  }

  #releaseAll(): void {
    for (const key of [...this.#waiting.keys()]) this.#release(key);
  }
}
