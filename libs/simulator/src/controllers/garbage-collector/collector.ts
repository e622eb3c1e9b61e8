import type { KubernetesObject, OwnerReference } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { ApiServer } from '../../api-server/index.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Work } from '../../scheduler/work.ts';
import { WorkQueue } from '../../scheduler/work-queue.ts';
import { deleteObject } from '../controller.ts';
import type { Kind } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { controllerIdentity, controllerLatencyMs, expectRefusal } from '../runner.ts';
import { ServerStore } from '../server-store.ts';
import type { Store } from '../store.ts';
import { OwnershipGraph } from './graph.ts';

const foregroundFinalizer = 'foregroundDeletion';
const orphanFinalizer = 'orphan';

/** The state of the owner that a reference names. */
type OwnerState = 'solid' | 'dangling' | 'waiting';

/**
 * The garbage collector: deletes objects whose owners are all gone, and carries out deletions in the foreground and orphaning. It compares UIDs, so an
 * owner that was created again under the same name is another one.
 */
export class GarbageCollector {
  private readonly store: Store;
  private readonly graph = new OwnershipGraph();
  private readonly queue: WorkQueue;
  private readonly unsubscribe: () => void;

  constructor(server: ApiServer, scheduler: Scheduler) {
    this.store = new ServerStore(server, controllerIdentity('generic-garbage-collector'), 'kube-controller-manager');
    this.queue = new WorkQueue({
      name: 'garbage-collector',
      scheduler,
      latencyMs: controllerLatencyMs,
      work: (uid) => this.process(uid),
      failed: expectRefusal,
    });
    for (const kind of this.store.allKinds())
      for (const object of this.store.list(kind)) this.observe(object, undefined, false);
    this.unsubscribe = server.store.subscribe(({ kind, before, after, deleted }) => {
      if (kind !== 'events' && kind !== 'leases.coordination.k8s.io') this.observe(after, before, deleted);
    });
  }

  /** Stops collecting. */
  stop(): void {
    this.unsubscribe();
    this.queue.clear();
  }

  private observe(object: KubernetesObject, before: KubernetesObject | undefined, deleted: boolean): void {
    const { uid, ownerReferences } = object.metadata;
    if (deleted) {
      this.graph.delete(object);
      for (const dependent of this.graph.dependentsOf(uid)) this.queue.add(dependent.metadata.uid);
      this.wakeOwners(ownerReferences);
      return;
    }
    this.graph.set(object);
    if (ownerReferences !== undefined || before?.metadata.ownerReferences !== undefined) {
      this.queue.add(uid);
      // An owner that waits for its dependents may be waiting for this one no longer.
      this.wakeOwners(before?.metadata.ownerReferences);
    } else if (isTerminating(object)) {
      this.queue.add(uid);
    }
  }

  private wakeOwners(references: readonly OwnerReference[] = []): void {
    for (const { uid } of references) if (isTerminating(this.graph.get(uid) ?? { metadata: {} })) this.queue.add(uid);
  }

  private *process(uid: string): Work<undefined> {
    const item = this.graph.get(uid);
    const kind = item && this.store.kindOf(item.apiVersion, item.kind);
    if (item === undefined || kind === undefined) return undefined;
    try {
      if (isTerminating(item) && has(item, orphanFinalizer)) this.orphanDependents(item, kind);
      else if (isTerminating(item) && has(item, foregroundFinalizer)) this.awaitDependents(item, kind);
      else if (!isTerminating(item)) yield* this.collect(item, kind);
    } catch (error) {
      // Gone or changed meanwhile: the change itself wakes the collector again.
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
    return undefined;
  }

  /** Removes the dependents' references to the owner, then the owner's finalizer. */
  private orphanDependents(owner: KubernetesObject, kind: Kind<unknown>): void {
    for (const dependent of this.graph.dependentsOf(owner.metadata.uid)) {
      const dependentKind = this.store.kindOf(dependent.apiVersion, dependent.kind);
      if (dependentKind !== undefined)
        this.dropReferences(dependent, dependentKind, (reference) => reference.uid === owner.metadata.uid);
    }
    this.removeFinalizer(owner, kind, orphanFinalizer);
  }

  /** Has the dependents of an owner deleted, and removes its finalizer when none of them blocks its deletion. */
  private awaitDependents(owner: KubernetesObject, kind: Kind<unknown>): void {
    const { uid } = owner.metadata;
    const blocking = this.graph
      .dependentsOf(uid)
      .filter(({ metadata }) =>
        metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
      );
    if (blocking.length === 0) this.removeFinalizer(owner, kind, foregroundFinalizer);
    for (const dependent of blocking) if (!has(dependent, foregroundFinalizer)) this.queue.add(dependent.metadata.uid);
    // Dependents that do not block are deleted as well, but nothing waits for them.
    for (const dependent of this.graph.dependentsOf(uid))
      if (!isTerminating(dependent)) this.queue.add(dependent.metadata.uid);
  }

  private *collect(item: KubernetesObject, kind: Kind<unknown>): Work<void> {
    const references = item.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const states = references.map((reference) => this.ownerStateOf(item, reference));
    // A kind that the server does not know may come back: nothing is concluded from its absence.
    if (states.includes(undefined)) return;
    if (states.includes('solid')) {
      const uids = new Set(references.filter((_, index) => states[index] !== 'solid').map(({ uid }) => uid));
      if (uids.size > 0) this.dropReferences(item, kind, ({ uid }) => uids.has(uid));
      return;
    }
    const dependents = this.graph.dependentsOf(item.metadata.uid);
    const waits = states.includes('waiting') && dependents.length > 0;
    const isForeground = waits || (has(item, foregroundFinalizer) && !has(item, orphanFinalizer));
    const propagationPolicy = isForeground ? 'Foreground' : has(item, orphanFinalizer) ? 'Orphan' : 'Background';
    const isInCircle =
      waits && dependents.some((dependent) => isTerminating(dependent) && has(dependent, foregroundFinalizer));
    const { uid, resourceVersion } = (isInCircle ? this.unblockOwners(item, kind) : item).metadata;
    yield* deleteObject(this.store, [kind, item], { uid, resourceVersion, propagationPolicy });
  }

  private ownerStateOf(item: KubernetesObject, reference: OwnerReference): OwnerState | undefined {
    const kind = this.store.kindOf(reference.apiVersion, reference.kind);
    if (kind === undefined) return undefined;
    // A cluster-wide object can have no owner in a namespace.
    if (kind.namespaced && item.metadata.namespace === undefined) return 'dangling';
    const owner = this.store.find(kind, item.metadata.namespace ?? '', reference.name);
    if (owner?.metadata.uid !== reference.uid) return 'dangling';
    return isTerminating(owner) && has(owner, foregroundFinalizer) ? 'waiting' : 'solid';
  }

  private dropReferences(
    object: KubernetesObject,
    kind: Kind<unknown>,
    drops: (reference: OwnerReference) => boolean,
  ): void {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter((reference) => !drops(reference));
    this.store.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences } });
  }

  /** Has no owner wait for the object any more: one that waits for its own dependent would wait forever. */
  private unblockOwners(object: KubernetesObject, kind: Kind<unknown>): KubernetesObject {
    const ownerReferences = (object.metadata.ownerReferences ?? []).map((reference) =>
      reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
    );
    return this.store.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences } });
  }

  private removeFinalizer(object: KubernetesObject, kind: Kind<unknown>, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    this.store.update(kind, { ...object, metadata: { ...object.metadata, finalizers } });
  }
}

const has = (object: KubernetesObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;
