import type { KubernetesObject, StatefulSet } from '@ordinal/client';
import type { Invariant, ObservedChange, ObservedRequest } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';

/** A resource with a StatefulSet of its name. */
interface Owner {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly replicas: number };
}

/** Finds a resource by its namespace and name. */
type FindOwner = (namespace: string, name: string) => Owner | undefined;

/** Which object is meant. */
type Named = Pick<ObservedRequest, 'kind' | 'namespace' | 'name'>;

const sets = 'statefulsets.apps';

/** Of which resource these are, by their names, and of which of its members. */
const shapes: Readonly<Record<string, RegExp>> = {
  [sets]: /^(.+)$/,
  persistentvolumeclaims: /^data-(.+)-(\d+)$/,
  pods: /^(.+)-(\d+)$/,
};

const sizeOf = (set: KubernetesObject | undefined): number => (set as StatefulSet | undefined)?.spec.replicas ?? 0; // Of this kind.

/** What the operator has taken away in one history. Resources are distinguished by their UID. */
class Taken {
  /** Of resources that are being deleted: whose each thing is that the operator has deleted, by its kind and name. */
  readonly #deleted = new Map<string, string>();
  /** How many members are left where the operator has taken some away. */
  readonly #left = new Map<string, number>();
  /** How large a StatefulSet has become last, and how many members were left before. */
  #resized: { readonly revision: number; readonly of: string; readonly to: number; readonly left?: number } | undefined;
  readonly #find: FindOwner;

  constructor(find: FindOwner) {
    this.#find = find;
  }

  /** Takes notice of a change of a StatefulSet: that it is another client's, until the operator's reply shows that it was its own. */
  resized({ object, previous, type }: ObservedChange, revision: number): void {
    const of = this.#ownerOf({ kind: sets, ...object.metadata })?.metadata.uid;
    const to = type === 'DELETED' ? 0 : sizeOf(object);
    // One that is made again takes nothing away, however small it begins: members that had gone ahead need that (I30).
    if (of === undefined || type === 'ADDED' || (type === 'MODIFIED' && to === sizeOf(previous))) return;
    const left = this.#left.get(of);
    this.#left.delete(of);
    this.#resized = { revision, of, to, ...(left !== undefined && { left }) };
  }

  /** The operator has written a StatefulSet, and this was the last that has changed. */
  resizedByOperator(revision: number): void {
    const last = this.#resized;
    this.#resized = undefined;
    if (last?.revision === revision) this.#left.set(last.of, Math.min(last.to, last.left ?? Infinity));
  }

  /** The operator has deleted something. */
  deleted(object: Named): void {
    const owner = this.#ownerOf(object);
    if (owner?.metadata.deletionTimestamp !== undefined)
      this.#deleted.set(`${object.kind} ${object.name ?? ''}`, owner.metadata.uid);
  }

  /** What is wrong with it that this has come. */
  wrongWith({ kind, namespace, name = '' }: Named): string | undefined {
    const owner = this.#ownerOf({ kind, name, ...(namespace !== undefined && { namespace }) });
    if (!owner) return undefined;
    const { uid, deletionTimestamp } = owner.metadata;
    const [, of = '', ordinal] = shapes[kind]?.exec(name) ?? [];
    // With its StatefulSet each member goes.
    const isDeleted = [`${kind} ${name}`, `${sets} ${of}`].some((thing) => this.#deleted.get(thing) === uid);
    if (deletionTimestamp !== undefined && isDeleted) return `${kind} ${name} has come back to ${of}, which is going`;
    const left = Math.max(this.#left.get(uid) ?? Infinity, owner.spec.replicas);
    return Number(ordinal ?? -1) >= left ? `${kind} ${name} has come back where ${left} members were left` : undefined;
  }

  /** A resource has changed: what it wants again has not been taken away. */
  asked({ metadata: { uid }, spec: { replicas } }: Owner): void {
    if (replicas > (this.#left.get(uid) ?? Infinity)) this.#left.set(uid, replicas);
  }

  #ownerOf({ kind, namespace = '', name = '' }: Named): Owner | undefined {
    const of = shapes[kind]?.exec(name)?.[1];
    return of === undefined ? undefined : this.#find(namespace, of);
  }
}

/**
 * What the operator takes away for good does not come back, whichever client would make it (I15): the StatefulSet, the members and the claims of a resource that is being
 * deleted, and members that a reduction has taken away. They may come where the spec wants more again, or another client has changed the StatefulSet's size, or deleted it.
 * `storage` names the kind, and `find` finds an object of it.
 */
export function nothingComesBack(
  storage: string,
  find: (cluster: TestCluster, namespace: string, name: string) => Owner | undefined,
): Invariant {
  // A restored etcd has members again that were taken away after the backup, and does not know that anybody has asked for it.
  const taken = new Memories((cluster) => new Taken((namespace, name) => find(cluster, namespace, name)));
  const takenIn = (cluster: TestCluster): Taken => taken.of(cluster);
  return {
    name: 'what is taken away does not come back (I15)',
    afterChange: (cluster, change) => {
      const { kind, type, object } = change;
      if (kind === storage) takenIn(cluster).asked(object as KubernetesObject & Owner); // Of this kind.
      if (kind === sets) takenIn(cluster).resized(change, cluster.server.store.revision);
      return type === 'ADDED' && kind in shapes ? takenIn(cluster).wrongWith({ kind, ...object.metadata }) : undefined;
    },
    afterRequest: (cluster, request) => {
      if (request.status >= 300 || request.subresource !== undefined) return undefined;
      if (request.verb === 'delete') takenIn(cluster).deleted(request);
      else if (request.kind === sets) takenIn(cluster).resizedByOperator(cluster.server.store.revision);
      return undefined;
    },
  };
}
