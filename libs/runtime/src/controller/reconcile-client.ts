import type { Client } from '@ordinal/client';
import { kindName } from '../cache/key.ts';
import type { Logger } from '../reconciler.ts';
import type { HotLoops } from './hot-loop.ts';
import type { OwnWrites } from '../writes/own-writes.ts';
import { observedClient } from '../writes/observed-client.ts';
import type { UncertainWrite } from '../writes/observed-client.ts';

/** What a reconcile's client is made of. */
export interface ReconcileClientOptions {
  readonly key: string;
  readonly client: Client;
  readonly own: OwnWrites;
  readonly hotLoops: HotLoops;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly permitWrite: () => void;
}

/** The client of one reconcile: its writes are remembered for the key, and none is begun after the reconcile's signal or the lease is gone. */
export function reconcileClient(options: ReconcileClientOptions): Client {
  const { key, client, own, hotLoops, log, signal, permitWrite } = options;
  return observedClient(client, {
    signal,
    observer: {
      permit: () => {
        permitWrite();
        signal.throwIfAborted();
      },
      wrote: (descriptor, object) => {
        const { namespace, name, resourceVersion } = object.metadata;
        log.debug(
          { wrote: kindName(descriptor), at: `${namespace ?? ''}/${name}`, revision: resourceVersion },
          'wrote',
        );
        own.wrote(key, descriptor, object);
        hotLoops.wrote(key, resourceVersion);
      },
      shownAt: (descriptor, place) => own.shownAt(descriptor, place),
      gone: (descriptor, gone) => {
        const { namespace, name } = gone.place;
        log.debug({ deleted: kindName(descriptor), at: `${namespace}/${name}` }, 'deleted');
        own.gone(key, descriptor, gone);
      },
      uncertain: (write) => own.uncertain(key, () => findOut(key, write, { client, own })),
    },
  });
}

/** Asks the server what became of a write, and raises the floor to what it says. */
async function findOut(
  key: string,
  write: UncertainWrite,
  { client, own }: Pick<ReconcileClientOptions, 'client' | 'own'>,
): Promise<void> {
  const { descriptor, namespace, name, labels, uid } = write;
  const resource = client(descriptor).in(namespace);
  if (name !== undefined) {
    const object = await resource.find(name);
    if (object === undefined) own.gone(key, descriptor, { place: { namespace, name }, uid });
    else own.wrote(key, descriptor, object);
    return;
  }
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const { items } = await resource.list(labelSelector === '' ? {} : { labelSelector });
  for (const object of items) own.wrote(key, descriptor, object);
}
