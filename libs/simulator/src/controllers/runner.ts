import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { Identity } from '../api-server/index.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { WorkQueue } from '../scheduler/work-queue.ts';
import type { ControllerContext, ControllerDefinition, ControllerWatch } from './controller.ts';
import { EventPublisher } from './events.ts';
import { storageOf } from './server-store.ts';
import type { Store, StoreEvent } from './store.ts';

/** How quickly controllers notice and act, in milliseconds. */
export const controllerLatencyMs: readonly [number, number] = [1, 4];

/** A change of an object that is kept under this name: `plural.group`. */
interface HostChange {
  readonly kind: string;
  readonly before?: KubernetesObject | undefined;
  readonly after: KubernetesObject;
  readonly deleted: boolean;
}

/** What controllers run in. */
export interface ControllerHost {
  /** The API server as the controller of this name sees it. */
  readonly storeOf: (controller: string) => Store;
  /** Reports each change, until the returned function is called. */
  readonly subscribe: (listener: (change: HostChange) => void) => () => void;
  readonly scheduler: Scheduler;
  /** Publish events as the real controllers do. They cost writes: a search of many histories leaves them out. */
  readonly publishEvents: boolean;
}

/** The identity of a controller of the controller manager. */
export function controllerIdentity(name: string): Identity {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
  };
}

/** Controllers that run. */
export interface RunningControllers {
  readonly stop: () => void;
  /** Has a controller look at a key although nothing in the API has changed. */
  readonly wake: (controller: string, key: ObjectKey) => void;
}

/** What the server refuses is tried again. Any other failure is a mistake in the simulation, and ends the run. */
export function expectRefusal(_key: string, error: unknown): void {
  if (!isApiError(error)) throw error;
}

/** Runs controllers of the cluster's own. */
export function runControllers(definitions: readonly ControllerDefinition[], host: ControllerHost): RunningControllers {
  const handlers = new Map<string, ((event: StoreEvent) => void)[]>();
  const queues = definitions.map((definition) => start(definition, host, handlers));
  const general = handlers.get(anyKind) ?? [];
  const unsubscribe = host.subscribe(({ kind, before, after, deleted }) => {
    const listeners = handlers.get(kind) ?? [];
    if (listeners.length + general.length === 0) return;
    const type = deleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    const event: StoreEvent = { type, object: after, ...(before !== undefined && { previous: before }) };
    for (const listener of listeners) listener(event);
    for (const listener of general) listener(event);
  });
  return {
    stop: () => {
      unsubscribe();
      for (const queue of queues) queue.clear();
    },
    wake: (controller, { namespace, name }) => {
      for (const [index, definition] of definitions.entries()) {
        if (definition.name === controller) queues[index]?.add(`${namespace}/${name}`);
      }
    },
  };
}

/** Stands for all kinds among those that are listened to. */
const anyKind = '*';

function start(
  definition: ControllerDefinition,
  host: ControllerHost,
  handlers: Map<string, ((event: StoreEvent) => void)[]>,
): WorkQueue {
  const { scheduler, publishEvents } = host;
  const store = host.storeOf(definition.name);
  const publisher = new EventPublisher(store, scheduler, definition.name);
  const context: ControllerContext = {
    store,
    clock: scheduler.clock,
    random: scheduler.random,
    event: (regarding, type, [reason, message]) => {
      if (publishEvents) publisher.publish(regarding, type, reason, message);
    },
  };
  const queue = new WorkQueue({
    name: definition.name,
    scheduler,
    latencyMs: controllerLatencyMs,
    work: (key) => {
      const slash = key.indexOf('/');
      return definition.reconcile({ namespace: key.slice(0, slash), name: key.slice(slash + 1) }, context);
    },
    failed: expectRefusal,
  });
  const listen = (storage: string, keys: ControllerWatch['keys']) => {
    const listener = (event: StoreEvent): void => {
      for (const { namespace, name } of keys(event, store)) queue.add(`${namespace}/${name}`);
    };
    handlers.set(storage, [...(handlers.get(storage) ?? []), listener]);
    return listener;
  };
  for (const { kind, keys } of definition.watches) {
    const listener = listen(storageOf(kind), keys);
    for (const object of store.list(kind)) listener({ type: 'ADDED', object });
  }
  if (definition.everything !== undefined) listen(anyKind, definition.everything);
  return queue;
}
