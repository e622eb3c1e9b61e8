import type { Job, PersistentVolumeClaim, Pod } from '@ordinal/client';
import { jobs, pods } from '@ordinal/client';
import { ownerUidLabel, purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import { firstStatusPutBack, forgeries, rememberStatuses } from '../faults/forger.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { ailing, images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { claimsLeft, patient, searched, setUp } from './scenario.ts';
import { skipAnnotation } from '../../../libs/reconcilers/src/kv-store-cluster/deletion-tasks.ts';
import { annotate, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';
import {
  claimsAreAskedForWithoutOwner,
  noMemberOnADeletedClaim,
  wantedMembersKeepTheirVolumes,
} from './volume-invariants.ts';

/** What a user writes into the status of a cluster to have its volumes deleted, another image run, or a step left out. */
const actions = forgeries({
  now: storeNow,
  write: (cluster, status) =>
    resource(cluster).status.patch('orders', {
      type: 'json',
      operations: [{ op: 'add', path: '/status', value: status as never }],
    }),
  lies: {
    'a final backup that has succeeded': ({ metadata: { uid }, status }) => ({
      ...status,
      hooks: [{ purpose: 'FinalBackup', subject: uid, job: 'orders-final-backup', result: 'Succeeded' }],
    }),
    'what stood there first': firstStatusPutBack,
    'that there is no data': ({ status }) => ({ ...status, mayHoldData: undefined, currentVersion: undefined }),
    'another version that ran, and a failure': ({ status }) => ({
      ...status,
      ...{ currentVersion: 'forged', currentRevision: 'forged', failedRevision: 'forged' },
    }),
  },
});

const made = new WeakMap<TestCluster, Set<string>>();

const hasSucceeded = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** By the Jobs alone, and by no status. */
const noVolumeWithoutBackup: Invariant = {
  name: 'no volume goes before a final backup of its cluster was made, whatever a status says (issue 25)',
  afterChange: (cluster, { kind, object }) => {
    const known = made.get(cluster) ?? new Set<string>();
    made.set(cluster, known);
    for (const job of cluster.objects.list(jobs, 'default'))
      if (job.metadata.labels?.[purposeLabel] === 'FinalBackup' && hasSucceeded(job))
        known.add(job.metadata.labels[ownerUidLabel] ?? '');
    if (kind !== 'persistentvolumeclaims') return undefined;
    const { metadata } = object as PersistentVolumeClaim; // Of this kind.
    if (metadata.deletionTimestamp === undefined || known.has(metadata.labels?.[ownerUidLabel] ?? '')) return undefined;
    return `${metadata.name} goes, and there was no final backup`;
  },
};

const noForeignImage: Invariant = {
  name: 'no member runs an image that stands in no spec (issue 25)',
  afterChange: (_cluster, { kind, type, object }) => {
    if (kind !== 'pods' || type !== 'ADDED') return undefined;
    const image = (object as Pod).spec.containers[0]?.image ?? ''; // Of this kind.
    return image.endsWith(':forged') ? `${object.metadata.name} runs ${image}` : undefined;
  },
};

const backup = { job: { command: ['backup'] }, onDelete: 'Required' } as const;

/** Others believe what the status says of itself. */
const oracles = [
  noVolumeWithoutBackup,
  noForeignImage,
  noMemberOnADeletedClaim,
  claimsAreAskedForWithoutOwner,
  wantedMembersKeepTheirVolumes,
];

const everybodyRuns = (cluster: TestCluster, version: string): boolean =>
  images(cluster).length === 2 &&
  images(cluster).every((image) => image === version) &&
  storeNow(cluster)?.status?.phase === 'Ready';

/** A cluster is upgraded and deleted, which takes a final backup, while a user writes anything into its status. Conditions of the status prove nothing here. */
export const forged: Searched = {
  // Where a status is found out anew, what is asked of a Job may be asked once more.
  livesVary: ['clock', 'timeTravel', 'twoLeaders', 'stale', 'unobserved'],
  ...searched({
    name: 'an upgrade and a deletion with a required backup, while a user forges the status',
    setUp: async (cluster) => {
      rememberStatuses(cluster, 'kvstoreclusters.kvstore.example.com');
      await setUp({ replicas: 2, upgrade: patient, backup })(cluster);
    },
    drive: async (cluster, until) => {
      await until(() => everybodyRuns(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => everybodyRuns(cluster, '2.0'));
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined,
    leaks: claimsLeft,
    actions,
  }),
  oracles,
};

/** Whether the only member is there, and not ready. */
const isDown = (cluster: TestCluster): boolean => {
  const member = cluster.objects.find(pods, 'default', 'orders-0');
  const isReady = member?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return member !== undefined && member.metadata.deletionTimestamp === undefined && isReady !== true;
};

/** Whether no member is left that a backup could be made of, after a status that was put back has taken back that there is one: it is tried in vain until a user skips it, as the status says. */
const isWithoutSource = (cluster: TestCluster): boolean =>
  cluster.objects.find(pods, 'default', 'orders-0') === undefined &&
  storeNow(cluster)?.status?.hooks?.some(({ purpose, result }) => purpose === 'FinalBackup' && result === 'Failed') ===
    true;

/** A cluster whose only member has served is deleted while that is not ready: nothing but what the operator has kept shows its data, and another client writes what it likes into the status. */
export const unsaid: Searched = {
  // As above: the Job of the final backup may be asked for once more.
  livesVary: ['clock', 'timeTravel', 'twoLeaders', 'stale', 'unobserved'],
  ...searched({
    name: 'a deletion with a required backup while no member is ready, while another client forges the status',
    setUp: async (cluster) => {
      rememberStatuses(cluster, 'kvstoreclusters.kvstore.example.com');
      await setUp({ replicas: 1, backup, deletionPolicy: 'Delete' })(cluster);
    },
    drive: async (cluster, until) => {
      await until(() => images(cluster).length === 1 && storeNow(cluster)?.status?.phase === 'Ready');
      ailing.set(cluster, 'orders-0');
      await pass(cluster, until, 20_000);
      await until(() => isDown(cluster));
      await pass(cluster, until, 20_000);
      await resource(cluster).delete('orders');
      await pass(cluster, until, 60_000);
      ailing.delete(cluster);
      await until(() => storeNow(cluster) === undefined || isWithoutSource(cluster));
      if (storeNow(cluster) !== undefined) await annotate(cluster, { [skipAnnotation]: 'FinalBackup' });
    },
    isDone: (cluster) => storeNow(cluster) === undefined,
    leaks: claimsLeft,
    actions,
  }),
  // The restore of an etcd from before there was data takes the mark back with the status.
  faults: everyFaultBut('restore'),
  oracles,
};
