import { setTimeout as pause } from 'node:timers/promises';
import type { Client, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';

/** A change of an object, as the watch reported it. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly object: KubernetesObject;
}

/** Something did not come about in time. */
export class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

/** How long anything may take before the demo gives up, in milliseconds: a busy machine is slow. */
const patienceMs = 120_000;
const retryMs = 200;

/** The objects of one namespace as a client outside of the cluster sees them, kept current by watches. */
export class Watcher {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #kinds = new Map<string, Map<string, KubernetesObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #waiting = new Set<() => void>();
  readonly #ending = new AbortController();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Begins to watch a kind. */
  watch(descriptor: ResourceDescriptor): void {
    this.#kinds.set(descriptor.kind, new Map());
    void this.#keepWatching(descriptor);
  }

  /** Ends all watches. */
  stop(): void {
    this.#ending.abort();
  }

  /** An object, as far as it is known here. */
  find<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    { kind }: ResourceDescriptor<Read, Write>,
    name: string,
  ): Read | undefined {
    // A watch of this kind put it there.
    return this.#kinds.get(kind)?.get(name) as Read | undefined;
  }

  /** The objects of a kind whose names begin so, in the order of their names. */
  list<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    { kind }: ResourceDescriptor<Read, Write>,
    prefix = '',
  ): readonly Read[] {
    const all = [...(this.#kinds.get(kind)?.values() ?? [])] as unknown as Read[]; // A watch of this kind put them there.
    return all
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Calls the listener at every change, until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Waits until it is true. Rejects with `NotInTime`, naming what was waited for and, where that is given, what there is instead. */
  async until(what: string, isTrue: () => boolean, instead: () => string = () => ''): Promise<void> {
    const late = Date.now() + patienceMs;
    while (!isTrue()) {
      if (Date.now() > late)
        throw new NotInTime(`this did not come about within ${patienceMs / 1000} s: ${what} ${instead()}`.trimEnd());
      await this.#nextChange();
    }
  }

  /** The next change, or a short time later: what is waited for may also lie outside of the cluster. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, retryMs);
      this.#waiting.add(done);
    });
  }

  async #keepWatching(descriptor: ResourceDescriptor): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#watchOnce(descriptor, signal);
      } catch {
        // The server ended it, or is not there for a moment: the next watch begins with everything that there is.
      }
      if (!signal.aborted) await pause(retryMs);
    }
  }

  async #watchOnce(descriptor: ResourceDescriptor, signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    let isComplete = false;
    const options = { sendInitialEvents: true, allowWatchBookmarks: true, signal };
    for await (const { type, object } of this.#client(descriptor).namespace(this.#namespace).watch(options)) {
      if (type !== 'BOOKMARK') {
        seen.add(object.metadata.name);
        this.#take({ type, kind: descriptor.kind, object });
      } else if (!isComplete && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') {
        isComplete = true;
        const gone = this.list(descriptor).filter(({ metadata }) => !seen.has(metadata.name));
        for (const lost of gone) this.#take({ type: 'DELETED', kind: descriptor.kind, object: lost });
      }
    }
  }

  #take(change: Change): void {
    const known = this.#kinds.get(change.kind);
    if (change.type === 'DELETED') known?.delete(change.object.metadata.name);
    else known?.set(change.object.metadata.name, change.object);
    for (const listener of this.#listeners) listener(change);
    for (const wake of [...this.#waiting]) wake();
  }
}
