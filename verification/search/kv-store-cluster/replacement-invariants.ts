import type { KVStoreCluster } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import { controllerRevisionLabel } from '@ordinal/lifecycle';
import type { TestCluster } from '@ordinal/simulator';
import { isOvertaken } from '../oracles/two-leaders.ts';
import { clusters, isReady, ownerOf } from './members.ts';

/** A replacement that has not caught up carries nothing yet. On the way back it goes before the others, which the partition does not allow: when its gates are open, it is deleted. */
const isCatchingUp = ({ metadata: { name }, status }: KVStoreCluster, member: string): boolean =>
  status?.upgrade?.catchingUp?.some(({ ordinal }) => member === `${name}-${ordinal}`) ?? false;

/** The operator's own hand takes down no member that serves, but through the StatefulSet; except one that goes back before it has caught up. */
const servingMembersAreLeftAlone: Invariant = {
  name: 'the operator deletes no member that serves (I4)',
  afterChange: (cluster, change) => {
    if (change.kind === 'pods' && change.type === 'MODIFIED' && change.previous)
      lastServing(cluster).set(change.object.metadata.name, isReady(change.previous as Pod));
    return undefined;
  },
  afterRequest: (cluster, { verb, kind: of, name = '', status, subresource }) => {
    if (verb !== 'delete' || of !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const members = cluster.objects.list(pods).filter(({ metadata }) => metadata.name === name);
    const owners = members.map((pod) => ownerOf(cluster, pod)).filter((store) => store !== undefined);
    const going = owners.some((store) => store.metadata.deletionTimestamp !== undefined || isCatchingUp(store, name));
    return lastServing(cluster).get(name) === true && !going ? `${name} was serving and deleted` : undefined;
  },
};

const serving = new WeakMap<TestCluster, Map<string, boolean>>();

function lastServing(cluster: TestCluster): Map<string, boolean> {
  const known = serving.get(cluster) ?? new Map<string, boolean>();
  serving.set(cluster, known);
  return known;
}

const appliedTo = ({ spec }: StatefulSet): string | undefined =>
  spec.template.metadata?.annotations?.[templateHashAnnotation];

const undone = new WeakMap<TestCluster, Set<string>>();

const partitionOf = ({ spec }: StatefulSet): number => spec.updateStrategy?.rollingUpdate?.partition ?? 0;

/** Of each pod, by its name, what its StatefulSet's controller says that it was made from. */
const revisions = new WeakMap<TestCluster, Map<string, string | undefined>>();

/**
 * A pod that is deleted to be replaced comes back as what is wanted: one that a partition holds would come back as it was, again and again. Of two leaders, one may
 * raise the partition at the time at which the other one deletes a pod.
 */
const replacementsAreNew: Invariant = {
  name: 'no member is deleted that would come back as it was (I1)',
  afterChange: (cluster, { kind: of, type, object }) => {
    if (of !== 'pods' || type === 'DELETED') return undefined;
    const known = revisions.get(cluster) ?? new Map<string, string | undefined>();
    revisions.set(cluster, known.set(object.metadata.name, object.metadata.labels?.[controllerRevisionLabel]));
    return undefined;
  },
  afterRequest: (cluster, { verb, kind: of, name = '', namespace = '', status, subresource, user }) => {
    if (verb !== 'delete' || of !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const [, owner = '', ordinal = ''] = /^(.*)-(\d+)$/.exec(name) ?? [];
    const store = clusters(cluster).find(({ metadata }) => metadata.name === owner);
    const set = cluster.objects.find(statefulSets, namespace, owner);
    if (!store || !set || store.metadata.deletionTimestamp !== undefined) return undefined;
    // What a user had set by hand meanwhile comes back as what ran before.
    if (revisions.get(cluster)?.get(name) !== set.status?.currentRevision) return undefined;
    const partition = partitionOf(set);
    if (Number(ordinal) >= partition || partition > store.spec.replicas) return undefined;
    return isOvertaken(cluster, user, `statefulsets ${namespace}/${owner}`)
      ? undefined
      : `${name} was deleted below the partition ${partition}`;
  },
};

/**
 * What has failed and was put back is not tried again before the spec changes. Where it stands (`onFailure: Stop`), a StatefulSet that is lost is made again as it was before the upgrade, until its controller has looked
 * at it, and then brought to what those run that stay: it was not put back.
 */
const failuresRemainFailed: Invariant = {
  name: 'a failed revision is not tried again until the spec changes (S0.8)',
  afterChange: (cluster, change) => {
    if (change.kind !== 'statefulsets.apps' || change.type === 'DELETED') return undefined;
    const set = change.object as StatefulSet;
    const store = clusters(cluster).find(({ metadata }) => metadata.name === set.metadata.name);
    const failed = store?.status?.failedRevision;
    if (failed === undefined) return undefined;
    const seen = undone.get(cluster) ?? new Set<string>();
    undone.set(cluster, seen);
    const applied = appliedTo(set);
    const stands = store?.spec.upgrade?.onFailure === 'Stop';
    const isMadeAgain = change.previous === undefined || appliedTo(change.previous as StatefulSet) !== failed;
    const key = `${failed}@${store?.metadata.generation ?? 0}/${store?.status?.retryToken ?? ''}`;
    if (applied !== failed && !(stands && isMadeAgain)) seen.add(key);
    return applied === failed && seen.has(key)
      ? `${failed} has failed and was put back, and is tried again`
      : undefined;
  },
};

/** What must hold of members that are replaced, in every history. */
export const replacementInvariants: readonly Invariant[] = [
  servingMembersAreLeftAlone,
  replacementsAreNew,
  failuresRemainFailed,
];
