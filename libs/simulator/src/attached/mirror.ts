import { setTimeout as pause } from 'node:timers/promises';
import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { ObservedStore, StoreChange } from '../cluster/test-cluster.ts';
import type { Activity } from './activity.ts';
import { isOfFence } from './fence.ts';

/** The kinds to mirror, and where from. */
export interface MirrorOptions {
  readonly client: Client;
  readonly kinds: readonly ResourceDescriptor[];
  readonly activity: Activity;
}

const nameOf = ({ group, plural }: Pick<ResourceDescriptor, 'group' | 'plural'>): string =>
  group === '' ? plural : `${plural}.${group}`;

const keyOf = ({ namespace, name }: KubernetesObject['metadata']): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const againMs = 100;

/** What a real API server holds of some kinds, shortly before. It is read as the simulated server's store is. */
export class Mirror implements ObservedStore {
  private readonly options: MirrorOptions;
  private readonly shelves = new Map<string, Map<string, KubernetesObject>>();
  private readonly listeners = new Set<(change: StoreChange) => void>();
  private readonly ended = new AbortController();
  /** The latest version that was seen of anything. */
  revision = 0;

  constructor(options: MirrorOptions) {
    this.options = options;
    for (const kind of options.kinds) this.shelves.set(nameOf(kind), new Map());
  }

  /** Lists everything, and follows it from then on. */
  async start(): Promise<void> {
    await Promise.all(
      this.options.kinds.map(async (kind) => {
        const version = await this.list(kind);
        void this.follow(kind, version);
      }),
    );
  }

  /** Ends all watches. */
  stop(): void {
    this.ended.abort();
    this.listeners.clear();
  }

  /** The names of the kinds that are mirrored. */
  get kinds(): readonly string[] {
    return [...this.shelves.keys()];
  }

  /** An object by its key: `namespace/name`, or the name where the kind has no namespaces. */
  get(kind: string, key: string): KubernetesObject | undefined {
    return this.shelves.get(kind)?.get(key);
  }

  /** All objects of a kind with their keys, in the keys' order. */
  snapshot(kind: string): readonly (readonly [key: string, object: KubernetesObject])[] {
    return [...(this.shelves.get(kind) ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** Reports each change from now on, until the returned function is called. */
  subscribe(listener: (change: StoreChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes a change for granted that was asked for and will be seen, so that it is not asked for twice. No listener is called. */
  assume(kind: string, object: KubernetesObject): void {
    const shelf = this.shelves.get(kind);
    const key = keyOf(object.metadata);
    if (shelf?.get(key)?.metadata.uid === object.metadata.uid) shelf.set(key, object);
  }

  /** Reads an object again, and reports it as if it had changed: what was asked for was refused. */
  async reread(kind: string, key: string): Promise<void> {
    const descriptor = this.options.kinds.find((one) => nameOf(one) === kind);
    const known = this.shelves.get(kind)?.get(key);
    if (descriptor === undefined || known === undefined) return;
    const { namespace = '', name } = known.metadata;
    const { signal } = this.ended;
    const object = await this.options
      .client(descriptor)
      .in(namespace)
      .find(name, { signal })
      .catch(() => undefined);
    // Where it is gone, or this was late, the watch shows it.
    const isLate =
      Number(object?.metadata.resourceVersion) < Number(this.shelves.get(kind)?.get(key)?.metadata.resourceVersion);
    if (object === undefined || isLate || signal.aborted) return;
    this.shelves.get(kind)?.delete(key);
    this.take(descriptor, object, false);
  }

  private async list(kind: ResourceDescriptor): Promise<string> {
    const { items, resourceVersion } = await this.options.client(kind).list({ signal: this.ended.signal });
    const present = new Set(items.map(({ metadata }) => keyOf(metadata)));
    for (const object of items) this.take(kind, object, false);
    for (const [key, object] of this.snapshot(nameOf(kind))) if (!present.has(key)) this.take(kind, object, true);
    return resourceVersion;
  }

  private async follow(kind: ResourceDescriptor, from: string): Promise<void> {
    let resourceVersion = from;
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        for await (const event of this.options.client(kind).watch({ signal, resourceVersion })) {
          resourceVersion = event.object.metadata.resourceVersion;
          if (event.type !== 'BOOKMARK') this.take(kind, event.object, event.type === 'DELETED');
        }
      } catch {
        // Whatever it was, the present state is what counts. Where the server has ended, so has the world.
        if (signal.aborted) return;
        await pause(againMs);
        resourceVersion = await this.list(kind).catch(() => resourceVersion);
      }
    }
  }

  private take(descriptor: ResourceDescriptor, object: KubernetesObject, deleted: boolean): void {
    if (isOfFence(object.metadata)) return;
    const kind = nameOf(descriptor);
    const shelf = this.shelves.get(kind);
    const key = keyOf(object.metadata);
    const before = shelf?.get(key);
    if (!deleted && before?.metadata.resourceVersion === object.metadata.resourceVersion) {
      shelf?.set(key, object);
      return;
    }
    if (deleted) shelf?.delete(key);
    else shelf?.set(key, object);
    this.revision = Math.max(this.revision, Number(object.metadata.resourceVersion));
    this.options.activity.change();
    for (const listener of this.listeners) {
      try {
        listener({ kind, after: object, deleted, ...(before !== undefined && { before }) });
      } catch (error) {
        // It is no reason to list again, and must not be overlooked: the process ends with it.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
