import type { Clock, Timer } from '@ordinal/client';
import type { JsonObject, WatchHandle, WatchListener } from '../request.ts';
import type { Change, Store } from '../store/store.ts';
import { Delivery } from './delivery.ts';
import type { Due } from './delivery.ts';

/** What a watch lets through. */
export interface WatchScope {
  /** Where the kind is kept. */
  readonly storage: string;
  /** What a change is to this watch; undefined where it is nothing. */
  readonly eventOf: (change: Change) => Due | undefined;
  /** A bookmark's object. */
  readonly bookmark: (revision: number, initialEventsEnd: boolean) => JsonObject;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

interface Watcher {
  readonly scope: WatchScope;
  readonly listener: WatchListener;
  readonly delivery: Delivery;
  readonly timers: Timer[];
  stopped: boolean;
  sent: number;
}

/** Bookmarks come about this often to watches that asked for them. */
const bookmarkEveryMs = 60_000;

/**
 * Delivers the store's changes to watches: each change to each watch once and in order. A write made by a listener is carried out at once, and its
 * event comes after the one that is being delivered.
 */
export class WatchHub {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #queue: (() => void)[] = [];
  #draining = false;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.subscribe((change) => this.#publish(change));
  }

  /** How many watches are open on a kind. */
  count(storage: string): number {
    return this.#watchers.get(storage)?.size ?? 0;
  }

  /** Opens a watch: first the given events, then changes after `revision`, then what happens. */
  open(
    scope: WatchScope,
    start: { readonly revision: number; readonly initial: readonly Due[] },
    listener: WatchListener,
  ): WatchHandle {
    const delivery = new Delivery({
      event: (event) => watcher.stopped || listener.event(event),
      // What can't be shown ends the watch: it begins again from there.
      failed: () => this.#end(watcher),
    });
    const watcher: Watcher = { scope, listener, delivery, timers: [], stopped: false, sent: start.revision };
    const set = this.#watchers.get(scope.storage) ?? new Set<Watcher>();
    this.#watchers.set(scope.storage, set);
    set.add(watcher);
    for (const due of start.initial) this.#enqueue(watcher, due);
    for (const change of this.#store.changesSince(scope.storage, start.revision)) this.#offer(watcher, change);
    watcher.timers.push(this.#clock.after(scope.timeoutMs, () => this.#end(watcher)));
    if (scope.bookmarks) this.#scheduleBookmark(watcher);
    this.#drain();
    return { stop: () => this.#forget(watcher) };
  }

  /** Ends watches as the server does when it restarts or drops connections: those of one kind, or all. */
  endAll(storage?: string): void {
    for (const [kind, set] of [...this.#watchers])
      if (storage === undefined || storage === kind) for (const watcher of [...set]) this.#end(watcher);
  }

  #scheduleBookmark(watcher: Watcher): void {
    watcher.timers[1] = this.#clock.after(bookmarkEveryMs, () => {
      if (watcher.stopped) return;
      const object = watcher.scope.bookmark(this.#store.revision, false);
      this.#enqueue(watcher, () => ({ type: 'BOOKMARK', object }));
      this.#drain();
      this.#scheduleBookmark(watcher);
    });
  }

  #publish(change: Change): void {
    const watchers = this.#watchers.get(change.kind);
    // A watch never shows that the store went back: it ends.
    if (change.restored === true) return;
    if (watchers === undefined || watchers.size === 0) return;
    for (const watcher of watchers) this.#offer(watcher, change);
    this.#drain();
  }

  #offer(watcher: Watcher, change: Change): void {
    if (change.revision <= watcher.sent) return;
    watcher.sent = change.revision;
    const due = watcher.scope.eventOf(change);
    if (due !== undefined) this.#enqueue(watcher, due);
  }

  #enqueue(watcher: Watcher, due: Due): void {
    this.#queue.push(() => {
      if (!watcher.stopped) watcher.delivery.add(due);
    });
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next();
    } finally {
      this.#draining = false;
    }
  }

  #end(watcher: Watcher): void {
    if (watcher.stopped) return;
    this.#queue.push(() => {
      if (watcher.stopped) return;
      this.#forget(watcher);
      watcher.listener.end?.();
    });
    this.#drain();
  }

  #forget(watcher: Watcher): void {
    watcher.stopped = true;
    for (const timer of watcher.timers) timer.cancel();
    this.#watchers.get(watcher.scope.storage)?.delete(watcher);
  }
}
