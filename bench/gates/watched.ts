import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusteredCaches } from '@ordinal/api';
import type { ClusteredCache } from '@ordinal/api';
import type { Client, Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';

/** The caches and the pods of a namespace as two watches show them, and when a pod was first seen to be deleted. */
export class Watched {
  readonly caches = new Map<string, ClusteredCache>();
  readonly pods = new Map<string, Pod>();
  /** By the pod's UID, on this machine's clock. */
  readonly deletedAt = new Map<string, number>();
  readonly #stop = new AbortController();

  constructor(client: Client, namespace: string) {
    void this.#follow(async (signal) => {
      for await (const { object } of client(clusteredCaches).namespace(namespace).watch({ signal }))
        this.caches.set(object.metadata.name, object);
    });
    void this.#follow(async (signal) => {
      for await (const { type, object } of client(pods).namespace(namespace).watch({ signal })) {
        const { uid, deletionTimestamp } = object.metadata;
        this.pods.set(uid, object);
        if ((type === 'DELETED' || deletionTimestamp !== undefined) && !this.deletedAt.has(uid))
          this.deletedAt.set(uid, performance.now());
      }
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  async #follow(watch: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) await watch(signal).catch(() => sleep(200));
  }
}

/** Looks every few milliseconds until there is something. Throws after a minute and a half. */
export async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  const deadline = performance.now() + 90_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within 90 s`);
    await sleep(5);
  }
}
