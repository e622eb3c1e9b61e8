import type { KVStoreCluster } from '@ordinal/api';
import type { Job, Pod } from '@ordinal/client';
import { persistentVolumeClaims, pods } from '@ordinal/client';
import { ownerUidLabel, purposeLabel, taskOfLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import { kind } from './members.ts';

/** Purposes whose Jobs are run again after a failure, by themselves. */
const retried: ReadonlySet<string> = new Set(['FinalBackup', 'BeforeDelete']);
/** How long after the first failure the next Job comes at the earliest, in milliseconds: half of what is documented, for a Job that took no time. */
const firstPauseMs = 30_000;
const longestPauseMs = 1_800_000;
/** How many pauses may be shorter than they should be: a clock may jump, and a user may ask for another try. */
const forgiven = 3;

/** What is remembered of one history. */
interface Memory {
  /** When Jobs were made, by purpose and the cluster's UID. */
  readonly made: Map<string, number[]>;
  /** The UIDs of backups' Jobs that have succeeded. */
  readonly backups: Set<string>;
  /** The names of backups that a status has reported. */
  readonly reported: Set<string>;
}

const memories = new WeakMap<TestCluster, Memory>();

function memoryOf(cluster: TestCluster): Memory {
  const memory = memories.get(cluster) ?? { made: new Map(), backups: new Set(), reported: new Set() };
  memories.set(cluster, memory);
  return memory;
}

const purposeOf = ({ metadata }: Job): string => metadata.labels?.[purposeLabel] ?? '';

const hasSucceeded = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** A Job that fails is run again, and each time the pause before it is longer. */
const retriesAreRare: Invariant = {
  name: 'what fails is tried again more and more seldom (S0.22)',
  afterChange: (cluster, change) => {
    if (change.kind !== 'jobs.batch' || change.type !== 'ADDED') return undefined;
    const job = change.object as Job; // Of this kind.
    if (!retried.has(purposeOf(job))) return undefined;
    const { made } = memoryOf(cluster);
    const key = `${purposeOf(job)} ${job.metadata.labels?.[ownerUidLabel] ?? ''}`;
    const times = [...(made.get(key) ?? []), cluster.clock.now()];
    made.set(key, times);
    const short = times.slice(1).filter((time, index) => {
      const due = Math.min(longestPauseMs, firstPauseMs * 2 ** index);
      return time - (times[index] ?? 0) < due;
    });
    return short.length > forgiven ? `${key} was tried ${times.length} times, and soon each time` : undefined;
  },
};

/** A backup that a status shows as the last one was made: there is a Job that has succeeded for each. */
const backupsWereMade: Invariant = {
  name: 'the last backup is one that has succeeded',
  afterChange: (cluster, change) => {
    const { backups, reported } = memoryOf(cluster);
    if (change.kind === 'jobs.batch') {
      const job = change.object as Job; // Of this kind.
      if (['Backup', 'FinalBackup'].includes(purposeOf(job)) && hasSucceeded(job)) backups.add(job.metadata.uid);
    }
    if (change.kind !== kind) return undefined;
    const name = (change.object as KVStoreCluster).status?.lastBackup?.name; // Of this kind.
    if (name === undefined) return undefined;
    reported.add(name);
    return reported.size > backups.size
      ? `${name} is reported as the last backup, and ${backups.size} have succeeded`
      : undefined;
  },
};

/** Clusters that have served, by their UID, each with the UIDs of the claims that it had then. */
const served = new WeakMap<TestCluster, Map<string, Set<string>>>();

function noteServing(cluster: TestCluster, uid: string): Set<string> {
  const known = served.get(cluster) ?? new Map<string, Set<string>>();
  served.set(cluster, known);
  const claims = known.get(uid) ?? new Set<string>();
  known.set(uid, claims);
  return claims;
}

/** The UIDs of the claims that a cluster has. */
const claimsOf = (cluster: TestCluster, owner: string): readonly string[] =>
  cluster.objects
    .list(persistentVolumeClaims)
    .flatMap(({ metadata: { uid, labels } }) => (labels?.[ownerUidLabel] === owner ? [uid] : []));

/** A restored etcd may not know that the cluster has served. Where it does not know the claims either, the volumes are others: there is nothing to write over. */
function mayWriteOver(cluster: TestCluster, owner: string): boolean {
  const had = served.get(cluster)?.get(owner);
  return had !== undefined && (!wasRestored(cluster) || claimsOf(cluster, owner).some((uid) => had.has(uid)));
}

/** A restore writes over what is there: it comes before the cluster has served, and never again. */
const restoresComeFirst: Invariant = {
  name: 'nothing is restored over the data of a cluster that has served (I14, I16)',
  afterChange: (cluster, change) => {
    if (change.kind === kind && (change.object as KVStoreCluster).status?.phase === 'Ready') {
      const { uid } = change.object.metadata;
      const had = noteServing(cluster, uid);
      for (const claim of claimsOf(cluster, uid)) had.add(claim);
    }
    if (change.kind !== 'jobs.batch' || change.type !== 'ADDED') return undefined;
    const { metadata } = change.object;
    if (metadata.labels?.[purposeLabel] !== 'Restore') return undefined;
    const members = cluster.objects
      .list(pods, metadata.namespace)
      .filter(({ metadata: { labels } }) => labels?.['app'] === metadata.labels?.['app.kubernetes.io/instance']);
    return mayWriteOver(cluster, metadata.labels[ownerUidLabel] ?? '') || members.length > 0
      ? `${metadata.name} was made for a cluster that has served`
      : undefined;
  },
};

/** Purposes whose Jobs change what the members hold. */
const writing: ReadonlySet<string> = new Set(['Restore', 'BeforeUpgrade', 'BeforeScaleDown']);

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';

/** The name of the cluster whose member or Job a pod is. */
const clusterOf = ({ metadata: { labels = {} } }: Pod): string | undefined =>
  labels[taskOfLabel] ?? labels['app.kubernetes.io/instance'];

/** Two Jobs that change what the members of one cluster hold would write over each other, and one that restores over what members have written. A scratch cluster has volumes of its own. */
const jobsTakeTurns: Invariant = {
  name: 'Jobs that change what the members hold are at work one at a time, and a restore before any member (I16)',
  afterChange: (cluster, { kind: of, type, object }) => {
    if (of !== 'pods' || type === 'DELETED') return undefined;
    const { name, namespace, labels } = object.metadata;
    const purpose = labels?.[purposeLabel] ?? '';
    const isMember = type === 'ADDED' && labels?.['app.kubernetes.io/name'] === 'kv-store-cluster';
    const begins = writing.has(purpose) && isRunning(object as Pod); // Of this kind.
    if (!isMember && !begins) return undefined;
    const owner = (pod: Pod) => pod.metadata.ownerReferences?.[0]?.uid;
    const other = cluster.objects.list(pods, namespace).find(
      (pod) =>
        isRunning(pod) &&
        pod.metadata.labels?.[purposeLabel] === (isMember ? 'Restore' : purpose) &&
        clusterOf(pod) === clusterOf(object as Pod) && // Of this kind.
        owner(pod) !== owner(object as Pod),
    );
    return other ? `${name} began while ${other.metadata.name} was at work` : undefined;
  },
};

/** What must hold of Jobs that back up, restore and migrate, in every history. */
export const backupInvariants: readonly Invariant[] = [
  retriesAreRare,
  backupsWereMade,
  restoresComeFirst,
  jobsTakeTurns,
];
