import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { Contents } from './contents.ts';
import { contentsOf, readKinds } from './contents.ts';
import { listOf, partMissing, withoutBallast } from './read.ts';
import type { Place } from './read.ts';

/** How long after a watch has failed it is tried again, in milliseconds. */
const retryMs = 1_000;

const uidOf = ({ metadata }: KubernetesObject): string => metadata.uid;

/** What is in a namespace, or in all, kept current by watches until the signal is aborted. */
export class LiveContents {
  readonly #place: Place;
  readonly #signal: AbortSignal;
  readonly #kinds = new Map<string, Map<string, KubernetesObject>>();
  readonly #unread = new Map<string, string>();
  #revision = 0;

  constructor(place: Place, signal: AbortSignal) {
    this.#place = place;
    this.#signal = signal;
  }

  /** Grows with each change. */
  get revision(): number {
    return this.#revision;
  }

  /** Begins to watch, and resolves when everything was listed once. Rejects where one of the four kinds can't be read. */
  async start(): Promise<void> {
    const versions = await Promise.all(readKinds.map((descriptor) => this.#list(descriptor)));
    readKinds.forEach((descriptor, index) => {
      const version = versions[index];
      if (version !== undefined) void this.#follow(descriptor, version);
    });
  }

  /** As it is now. */
  now(): Contents {
    const objects = new Map([...this.#kinds].map(([kind, known]) => [kind, [...known.values()]]));
    return contentsOf(objects, [...this.#unread.values()].sort());
  }

  /** The version from which to watch; undefined where the kind can't be read. */
  async #list(descriptor: ResourceDescriptor): Promise<string | undefined> {
    try {
      const { items, resourceVersion } = await listOf(descriptor, this.#place);
      this.#kinds.set(descriptor.kind, new Map(items.map((object) => [uidOf(object), object])));
      this.#unread.delete(descriptor.kind);
      this.#revision += 1;
      return resourceVersion;
    } catch (error) {
      const missing = partMissing(error, descriptor);
      if (missing === undefined) throw error;
      this.#notRead(descriptor, missing);
      return undefined;
    }
  }

  #notRead({ kind }: ResourceDescriptor, why: string): void {
    if (this.#unread.get(kind) === why) return;
    this.#unread.set(kind, why);
    this.#revision += 1;
  }

  /** Watches from a version on. Whatever ends a watch (time, a restart, a version that is too old), everything is listed again. */
  async #follow(descriptor: ResourceDescriptor, from: string): Promise<void> {
    let version: string | undefined = from;
    while (!this.#signal.aborted && version !== undefined) {
      try {
        await this.#watch(descriptor, version);
      } catch {
        // The next list says what has become of it.
      }
      await pause(retryMs, this.#signal);
      if (this.#signal.aborted) return;
      version = await this.#list(descriptor).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        this.#notRead(descriptor, `${descriptor.plural}: not current: ${why}`);
        return version;
      });
    }
  }

  async #watch(descriptor: ResourceDescriptor, resourceVersion: string): Promise<void> {
    const { client, namespace } = this.#place;
    const kind: ReturnType<Client> = client(descriptor);
    const options = { resourceVersion, signal: this.#signal, project: withoutBallast };
    for await (const { type, object } of (namespace === undefined ? kind : kind.namespace(namespace)).watch(options)) {
      const known = this.#kinds.get(descriptor.kind);
      if (type === 'DELETED') known?.delete(uidOf(object));
      else known?.set(uidOf(object), object);
      this.#revision += 1;
    }
  }
}

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
