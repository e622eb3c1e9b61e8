import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@ordinal/client';
import { configMaps, namespaces, systemClock } from '@ordinal/client';
import { awaitChange, controller, createManager } from '../../src/index.ts';
import type { ManagerOptions } from '../../src/index.ts';

/** What is tried: an operator, and the objects that it works on. */
export interface CopyingOptions {
  /** Whose client makes the objects, changes them and looks at them in the end. */
  readonly user: Client;
  /** Whose client the operator under test has. */
  readonly operator: Client;
  /** The label of the objects, and the operator's name. */
  readonly name: string;
  readonly namespace: string;
  readonly objects: number;
  readonly timing: ManagerOptions['timing'];
}

/** A running operator that copies `wanted` of each object to `done`, and what was seen of it. */
export interface Copying {
  /** Asks for a value of the object of this number. */
  want(change: number): Promise<unknown>;
  /** The objects whose last change is not copied after a minute. */
  leftBehind(): Promise<readonly string[]>;
  /** Stops the operator. Resolves with how often an object was worked on twice at a time, and with the rejections that were not handled. */
  stop(): Promise<{ readonly twice: number; readonly unhandled: readonly unknown[] }>;
}

/** Makes the namespace and the objects, and starts the operator. */
export async function startCopying(options: CopyingOptions): Promise<Copying> {
  const { user, name, namespace, objects } = options;
  await user(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const maps = user(configMaps).namespace(namespace);
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  const { manager, twice } = copyingManager(options);
  const running = manager.start();
  for (let number = 0; number < objects; number += 1) {
    const metadata = { name: `map-${number}`, labels: { [name]: 'yes' } };
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { wanted: '0', done: '' } });
  }
  const behind = async (): Promise<readonly string[]> => {
    const { items } = await maps.list({ labelSelector: name });
    return items.filter(({ data }) => data?.['done'] !== data?.['wanted']).map(({ metadata }) => metadata.name);
  };
  return {
    want: (change) =>
      maps.patch(`map-${change % objects}`, { type: 'merge', body: { data: { wanted: String(change) } } }),
    async leftBehind() {
      for (const end = Date.now() + 60_000; Date.now() < end && (await behind()).length > 0;) await pause(200);
      return behind();
    },
    async stop() {
      await manager.stop();
      await running;
      process.off('unhandledRejection', onUnhandled);
      return { twice: twice(), unhandled };
    },
  };
}

function copyingManager({ operator, name, namespace, timing }: CopyingOptions): {
  readonly manager: ReturnType<typeof createManager>;
  readonly twice: () => number;
} {
  const active = new Set<string>();
  let twice = 0;
  const manager = createManager({
    client: operator,
    clock: systemClock,
    random: Math.random,
    name: `example.com/${name}`,
    identity: name,
    namespaces: [namespace],
    ...(timing && { timing }),
  }).add(
    controller(name)
      .for(configMaps, { labelSelector: name, predicate: () => true })
      .options({ concurrency: 8, backoff: { baseMs: 50, capMs: 1000, jitter: 0.2 } })
      .reconcile(async (key, { cache, client }) => {
        if (active.has(key.name)) twice += 1;
        active.add(key.name);
        try {
          const map = cache.get(configMaps, key);
          if (map === undefined || map.data?.['done'] === map.data?.['wanted']) return awaitChange();
          const { uid, resourceVersion } = map.metadata;
          const body = { metadata: { uid, resourceVersion }, data: { done: map.data?.['wanted'] } };
          await client(configMaps).namespace(key.namespace).patch(key.name, { type: 'merge', body });
          return awaitChange();
        } finally {
          active.delete(key.name);
        }
      }),
  );
  return { manager, twice: () => twice };
}
