import type { KubernetesObject, KubernetesObjectInput } from '@ordinal/client';
import type { Kind, Live } from './kinds.ts';

/** An object as a controller writes it: whatever the API server fills in may be missing. */
export type Draft<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & Pick<KubernetesObjectInput, 'metadata'>;

/** How an object is deleted: the API's options, its preconditions among them. */
export interface StoreDeleteOptions {
  /** Only the object of this UID is deleted. */
  readonly uid?: string;
  /** The object is deleted only in this version. */
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** A change of an object, as a controller receives it. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
  /** The object before the change, where there was one. */
  readonly previous?: KubernetesObject;
}

/**
 * The API server as a controller sees it. Reads are current and give the stored objects themselves, so they must not be changed. Writes are
 * ordinary requests of one user: admitted, validated and refused (with an `ApiError`) as anyone's.
 */
export interface Store {
  find<T>(kind: Kind<T>, namespace: string, name: string): Live<T> | undefined;
  list<T>(kind: Kind<T>, namespace?: string): readonly Live<T>[];
  create<T>(kind: Kind<T>, object: Draft<T>): Live<T>;
  update<T>(kind: Kind<T>, object: Live<T>): Live<T>;
  updateStatus<T>(kind: Kind<T>, object: Live<T>): Live<T>;
  /** Applies a configuration of the cluster's scope as a field manager, and takes over the fields of others. */
  apply<T>(kind: Kind<T>, object: Draft<T>, manager: string): void;
  /** Deletes an object, or begins to. A webhook that takes its time to answer counts as failed. */
  delete(kind: Kind<unknown>, target: KubernetesObject, options?: StoreDeleteOptions): void;
  /** As `delete`, and waits for webhooks: what is promised comes, or is refused, once they have answered. Undefined where it is done already. */
  beginDelete(kind: Kind<unknown>, target: KubernetesObject, options?: StoreDeleteOptions): Promise<void> | undefined;
  /** Binds a pod to a node, as schedulers do. */
  bind(pod: KubernetesObject, node: string): void;
  /** Removes the finalizer `kubernetes` of a namespace's spec, which lets it go. */
  finalizeNamespace(namespace: KubernetesObject): void;
  /** The kind of this name, custom ones included; undefined where the server does not know it. */
  kindOf(apiVersion: string, kind: string): Kind<unknown> | undefined;
  /** All kinds whose objects can be listed and deleted. */
  allKinds(): readonly Kind<unknown>[];
}

/** The body of a delete request, which holds what must be so for the object to be deleted. */
export function deleteOptionsOf({ uid, resourceVersion, ...rest }: StoreDeleteOptions) {
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...rest, preconditions };
}
