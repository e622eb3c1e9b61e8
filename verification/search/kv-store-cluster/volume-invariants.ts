import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { PersistentVolumeClaim } from '@ordinal/client';
import { namespaces, persistentVolumeClaims, statefulSets } from '@ordinal/client';
import { ownerUidLabel } from '@ordinal/constructs';
import type { Invariant, ObservedChange } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { clusters, kind, membersOf } from './members.ts';

const claimsOf = (cluster: TestCluster, uid: string): readonly PersistentVolumeClaim[] =>
  cluster.objects
    .list(persistentVolumeClaims)
    .filter(({ metadata: { name, labels } }) => /^data-.*-\d+$/.test(name) && labels?.[ownerUidLabel] === uid);

const isMember = ({ kind: of, object }: ObservedChange): boolean =>
  of === 'pods' && object.metadata.labels?.['app.kubernetes.io/name'] === 'kv-store-cluster';

/** Whether the StatefulSet of a cluster was orphaned: the garbage collector has removed the owner, for a user who wants the members to stay. */
export const wasOrphaned = (cluster: TestCluster, { name, namespace = '' }: KVStoreCluster['metadata']): boolean => {
  const set = cluster.objects.find(statefulSets, namespace, name);
  return set !== undefined && (set.metadata.ownerReferences ?? []).length === 0;
};

/** Volumes go last: no pod of the cluster is left, and a policy or a backup allows it. */
const volumesAreDeletedLast: Invariant = {
  name: 'volumes are deleted only after the pods, by policy or after a backup (S0.11, I11)',
  afterRequest: (cluster, request) => {
    if (request.verb !== 'delete' || request.kind !== 'persistentvolumeclaims' || request.status >= 300)
      return undefined;
    const [, name = '', ordinal = ''] = /^data-(.*)-(\d+)$/.exec(request.name ?? '') ?? [];
    const store = clusters(cluster).find(({ metadata }) => metadata.name === name);
    if (!store) return `${request.name} was deleted and no cluster asked for it`;
    // Of a member that was taken away it may go while the others run, also when the deletion of the cluster has just come.
    const dropped = store.spec.scaleDown?.claims === 'Delete' && Number(ordinal) >= store.spec.replicas;
    const users = membersOf(cluster, name).filter(
      ({ metadata }) =>
        metadata.name === `${name}-${ordinal}` || (!dropped && store.metadata.deletionTimestamp !== undefined),
    );
    if (users.length > 0)
      return `${request.name} was deleted while ${users.map(({ metadata }) => metadata.name).join(', ')} existed`;
    if (dropped) return undefined;
    if (store.metadata.deletionTimestamp === undefined) return `${request.name} was deleted while its cluster lived`;
    const backedUp = store.status?.hooks?.some(
      ({ purpose, result }) => purpose === 'FinalBackup' && result === 'Succeeded',
    );
    return store.spec.deletionPolicy === 'Delete' || (store.spec.deletionPolicy === undefined && backedUp)
      ? undefined
      : `${request.name} was deleted without a policy or a backup that allows it`;
  },
};

/** When a cluster is gone, its volumes are gone or there, as its policy says. In a namespace that is being deleted they go whatever it says. */
export const keepsWhatItsPolicySays: Invariant = {
  name: 'what is left is what the policy says (I12)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'DELETED') return undefined;
    const { spec, status, metadata } = change.object as KVStoreCluster;
    const home = cluster.objects.find(namespaces, '', metadata.namespace ?? '');
    if (home?.metadata.deletionTimestamp !== undefined || wasOrphaned(cluster, metadata)) return undefined;
    const backedUp = status?.hooks?.some(({ purpose, result }) => purpose === 'FinalBackup' && result === 'Succeeded');
    const go = spec.deletionPolicy === 'Delete' || (spec.deletionPolicy === undefined && backedUp === true);
    const left = claimsOf(cluster, metadata.uid);
    if (go && left.length > 0) return `${left.map((claim) => claim.metadata.name).join(', ')} outlived it`;
    const going = left.filter((claim) => claim.metadata.deletionTimestamp !== undefined);
    return go || going.length === 0
      ? undefined
      : `${going.map((claim) => claim.metadata.name).join(', ')} should stay, and goes`;
  },
};

/** A cluster that begins with a restore has no member before the restore has succeeded. */
export const membersAwaitTheRestore: Invariant = {
  name: 'no member starts before its data is restored (I16)',
  afterChange: (cluster, change) => {
    if (change.type !== 'ADDED' || !isMember(change)) return undefined;
    const name = change.object.metadata.labels?.['app.kubernetes.io/instance'];
    const store = cluster.objects.list(kvStoreClusters).find(({ metadata }) => metadata.name === name);
    if (!store?.spec.restoreFrom) return undefined;
    const restored = store.status?.hooks?.some(
      ({ purpose, result }) => purpose === 'Restore' && result === 'Succeeded',
    );
    return restored === true ? undefined : `${change.object.metadata.name} was made before the restore had succeeded`;
  },
};

/** The operator deletes no claim while it makes the member of it. */
export const noMemberOnADeletedClaim: Invariant = {
  name: 'no member is made while its claim goes (I17)',
  afterChange: (cluster, change) => {
    if (change.type !== 'ADDED' || !isMember(change)) return undefined;
    const { name, namespace = '' } = change.object.metadata;
    const claim = cluster.objects.find(persistentVolumeClaims, namespace, `data-${name}`);
    return claim?.metadata.deletionTimestamp === undefined ? undefined : `${name} was made while its claim was going`;
  },
};

/** Every StatefulSet asks for claims that have no owner, and that Kubernetes keeps: a cascade must not take the data along. */
export const claimsAreAskedForWithoutOwner: Invariant = {
  name: 'claims are asked for without an owner (S0.12)',
  afterChange: (_, change) => {
    if (change.kind !== 'statefulsets.apps' || change.type === 'DELETED') return undefined;
    const { spec } = change.object as {
      readonly spec?: { readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] };
    };
    const owned = spec?.volumeClaimTemplates?.some(({ metadata }) => (metadata?.ownerReferences ?? []).length > 0);
    return owned === true ? `the claims of ${change.object.metadata.name} would have an owner` : undefined;
  },
};

/** A member that the StatefulSet makes again finds its data. */
export const wantedMembersKeepTheirVolumes: Invariant = {
  name: 'the volume of a member that is to come back stays (I11)',
  afterRequest: (cluster, { verb, kind: of, name: claim = '', namespace = '', status }) => {
    if (verb !== 'delete' || of !== 'persistentvolumeclaims' || status >= 300) return undefined;
    const [, name = '', ordinal = ''] = /^data-(.*)-(\d+)$/.exec(claim) ?? [];
    const store = cluster.objects.find(kvStoreClusters, namespace, name);
    const set = cluster.objects.find(statefulSets, namespace, name);
    if (!store || store.metadata.deletionTimestamp !== undefined || !set) return undefined;
    return Number(ordinal) < (set.spec.replicas ?? 1)
      ? `${claim} was deleted, and its member is to come back`
      : undefined;
  },
};

/** What must hold of volumes in every history. */
export const volumeInvariants: readonly Invariant[] = [
  volumesAreDeletedLast,
  keepsWhatItsPolicySays,
  membersAwaitTheRestore,
  wantedMembersKeepTheirVolumes,
  noMemberOnADeletedClaim,
  claimsAreAskedForWithoutOwner,
];
