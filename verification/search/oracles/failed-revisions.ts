import type { KubernetesObject, Pod } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { isPaused } from '../../../libs/reconcilers/src/annotations.ts';

/** What of a resource this oracle reads. */
interface Failing extends KubernetesObject {
  readonly status?: {
    readonly failedRevision?: string;
    /** What all members ran: where nothing did, there is nothing else to make one of. */
    readonly currentRevision?: string;
    readonly processingError?: object;
  };
}

interface Seen {
  /** The failed revision of each resource, and since when it has failed. */
  readonly failed: Map<string, { readonly revision: string; readonly since: number }>;
  /** The members that have run a revision once: `namespace/pod revision`. */
  readonly ran: Set<string>;
}

/** What differs between the kinds. */
export interface FailedRevisionOptions {
  /** The kind as the store names it: `clusteredcaches.cache.my.domain`. */
  readonly kind: string;
  readonly find: (cluster: TestCluster, namespace: string, name: string) => Failing | undefined;
  /** A member that has run the failed revision comes back as it: its volume was written by it. */
  readonly returnsAsItRan: boolean;
  /** How long after the failure was recorded what ran before may still have to be put back, in milliseconds. By default 300,000: an outage or a lost permission, and the pause after it. */
  readonly withinMs?: number;
}

/** No new pod is made of a revision that has failed, once the failure is on record and there was time to put back what ran before. */
export function failedRevisionsDoNotStart({
  kind,
  find,
  returnsAsItRan,
  withinMs = 300_000,
}: FailedRevisionOptions): Invariant {
  const known = new WeakMap<TestCluster, Seen>();
  const seenIn = (cluster: TestCluster): Seen => {
    const seen = known.get(cluster) ?? { failed: new Map(), ran: new Set() };
    known.set(cluster, seen);
    return seen;
  };
  const note = (cluster: TestCluster, { metadata, status }: Failing): void => {
    const { failed } = seenIn(cluster);
    const key = `${metadata.namespace}/${metadata.name}`;
    const revision = status?.failedRevision;
    if (revision === undefined) failed.delete(key);
    else if (failed.get(key)?.revision !== revision) failed.set(key, { revision, since: cluster.clock.now() });
  };
  return {
    name: 'a failed revision never runs on a new pod',
    afterChange: (cluster, { kind: of, type, object }) => {
      if (of === kind && type !== 'DELETED') note(cluster, object);
      if (of !== 'pods' || type !== 'ADDED') return undefined;
      const { namespace, name, revision, set } = madeOf(object as Pod); // Of kind pods.
      const { failed, ran } = seenIn(cluster);
      const member = `${namespace}/${name} ${revision}`;
      const returns = returnsAsItRan && ran.has(member);
      ran.add(member);
      const failure = failed.get(`${namespace}/${set}`);
      const owner = find(cluster, namespace, set);
      if (!owner || failure?.revision !== revision || returns || isExcused(owner, revision)) return undefined;
      const forMs = cluster.clock.now() - failure.since;
      return forMs > withinMs
        ? `${name} was made of ${revision}, which had failed ${Math.round(forMs / 1000)} s before`
        : undefined;
    },
  };
}

/** What a pod was made of, and the StatefulSet that made it; empty where none did. */
function madeOf({ metadata: { namespace = '', name, annotations = {}, ownerReferences = [] } }: Pod) {
  const set = ownerReferences.find((owner) => owner.controller && owner.kind === 'StatefulSet')?.name ?? '';
  return { namespace, name, revision: annotations[templateHashAnnotation] ?? '', set };
}

/** The operator is not to write anything, or can't, and says so; or nothing else ran before. */
function isExcused(owner: Failing, revision: string): boolean {
  const { currentRevision, processingError } = owner.status ?? {};
  const isStopped = isPaused(owner) || owner.metadata.deletionTimestamp !== undefined;
  return isStopped || processingError !== undefined || currentRevision === undefined || currentRevision === revision;
}
