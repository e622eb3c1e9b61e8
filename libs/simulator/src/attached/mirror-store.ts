import { setTimeout as pause } from 'node:timers/promises';
import type { Client, KubernetesObject } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { Kind, Live, LivePod } from '../controllers/kinds.ts';
import { kinds } from '../controllers/kinds.ts';
import { storageOf } from '../controllers/server-store.ts';
import { deleteOptionsOf } from '../controllers/store.ts';
import type { Draft, Store, StoreDeleteOptions } from '../controllers/store.ts';
import type { Activity } from './activity.ts';
import type { Mirror } from './mirror.ts';

/** What a store over a real API server works with. */
export interface MirrorStoreOptions {
  readonly mirror: Mirror;
  readonly client: Client;
  readonly activity: Activity;
  /** What is written of a pod's status, in the words of its reader. */
  readonly statusOf?: (pod: LivePod) => unknown;
}

const attempts = 5;
const againMs = 100;

/**
 * A real API server for the simulated world's components. Reads give what was seen last. Writes are on their way when they return, those of one object in order,
 * and are believed to succeed: what comes of them is seen in the next events.
 */
export class MirrorStore implements Store {
  private readonly options: MirrorStoreOptions;
  private readonly queues = new Map<string, Promise<void>>();

  constructor(options: MirrorStoreOptions) {
    this.options = options;
  }

  /** An object of a kind. */
  find<T>(kind: Kind<T>, namespace: string, name: string): Live<T> | undefined {
    // The mirror holds what the server has validated as this kind.
    return this.options.mirror.get(storageOf(kind), kind.namespaced ? `${namespace}/${name}` : name) as
      Live<T> | undefined;
  }

  /** The objects of a kind, of one namespace or of all. */
  list<T>(kind: Kind<T>, namespace?: string): readonly Live<T>[] {
    return this.options.mirror
      .snapshot(storageOf(kind))
      .map(([, object]) => object as unknown as Live<T>) // As above.
      .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  }

  /** Creates an object. */
  create<T>(kind: Kind<T>, object: Draft<T>): Live<T> {
    const { metadata } = object;
    const body = { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
    this.write(kind, metadata, { method: 'POST', path: collectionOf(kind, metadata.namespace), body });
    // What the server adds is unknown as yet.
    return body as unknown as Live<T>;
  }

  /** Replaces all of an object but its status. */
  update<T>(kind: Kind<T>, object: Live<T>): Live<T> {
    const { status: _status, ...body } = object as Live<T> & { readonly status?: unknown };
    this.patch(kind, object.metadata, '', body);
    return object;
  }

  /** Replaces an object's status. */
  updateStatus<T>(kind: Kind<T>, object: Live<T>): Live<T> {
    const { uid } = object.metadata;
    const isPod = storageOf(kind) === 'pods';
    const status = isPod && this.options.statusOf ? this.options.statusOf(object) : (object as LivePod).status;
    this.patch(kind, object.metadata, '/status', { ...(uid !== undefined && { metadata: { uid } }), status });
    return object;
  }

  /** Deletes an object, or begins to. */
  delete(kind: Kind<unknown>, target: KubernetesObject, options: StoreDeleteOptions = {}): void {
    const path = pathOf(kind, target.metadata);
    this.write(kind, target.metadata, { method: 'DELETE', path, body: deleteOptionsOf(options) });
  }

  /** As `delete`: it is on its way when this returns. */
  beginDelete(kind: Kind<unknown>, target: KubernetesObject, options?: StoreDeleteOptions): undefined {
    this.delete(kind, target, options);
    return undefined;
  }

  /** Binds a pod to a node. */
  bind(pod: KubernetesObject, node: string): void {
    const { namespace = '', name, uid } = pod.metadata;
    const body = {
      ...{ apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid } },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    const refused = (): void => void this.options.mirror.reread('pods', `${namespace}/${name}`);
    const path = `${pathOf(kinds.pod, pod.metadata)}/binding`;
    this.write(kinds.pod, pod.metadata, { method: 'POST', path, body, refused });
    const { spec } = pod as LivePod;
    this.options.mirror.assume('pods', { ...pod, spec: { ...spec, nodeName: node } } as KubernetesObject);
  }

  /** Roles that gather others are the control plane's own. */
  apply(): void {
    throw new TypeError('a real control plane gathers roles by itself');
  }

  /** The namespace controller is the control plane's own. */
  finalizeNamespace(): void {
    throw new TypeError('a real control plane lets namespaces go by itself');
  }

  /** Kinds are the control plane's own concern. */
  kindOf(): undefined {
    return undefined;
  }

  /** As above. */
  allKinds(): readonly Kind<unknown>[] {
    return [];
  }

  private patch(kind: Kind<unknown>, metadata: Metadata, subresource: string, body: object): void {
    const path = `${pathOf(kind, metadata)}${subresource}`;
    this.write(kind, metadata, { method: 'PATCH', path, body });
  }

  private write(kind: Kind<unknown>, { namespace = '', name, uid = '' }: Metadata, request: Write): void {
    // Who comes after another one of the same name does not wait for what is still said of that one.
    const key = `${storageOf(kind)} ${namespace}/${name} ${uid}`;
    const before = this.queues.get(key) ?? Promise.resolve();
    const ended = this.options.activity.begin();
    const sent = before.then(() => this.send(request));
    this.queues.set(key, sent);
    void sent.then(() => {
      ended();
      if (this.queues.get(key) === sent) this.queues.delete(key);
    });
  }

  private async send({ method, path, body, refused }: Write): Promise<void> {
    const headers = method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {};
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      try {
        await this.options.client.request(method, path, { body, ...headers });
        return;
      } catch (error) {
        // Another client was quicker, or it is gone, or another one has its name: what is seen next shows what to do.
        if (isApiError(error, 'NotFound', 'Conflict', 'AlreadyExists', 'Invalid')) break;
        await pause(againMs);
      }
    }
    refused?.();
  }
}

interface Metadata {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: object;
  /** Called where it was not carried out. */
  readonly refused?: () => void;
}

function collectionOf({ apiVersion, plural, namespaced }: Kind<unknown>, namespace = 'default'): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

const pathOf = (kind: Kind<unknown>, { namespace, name = '' }: Metadata): string =>
  `${collectionOf(kind, namespace)}/${name}`;
