import type { Job } from '@ordinal/client';
import { jobs, persistentVolumeClaims, statefulSets } from '@ordinal/client';
import { ownerUidLabel, purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import { cleanUpNeedsNoUser } from '../oracles/clean-up-needs-no-user.ts';
import { clusters, kind, membersOf } from './members.ts';
import { wasOrphaned } from './volume-invariants.ts';

/** A finalizer goes only when the members are gone. */
const deletedWhenAllIsDone: Invariant = {
  name: 'a cluster goes only after its members (I14)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'DELETED' || wasOrphaned(cluster, change.object.metadata))
      return undefined;
    const left = membersOf(cluster, change.object.metadata.name);
    return left.length === 0 ? undefined : `${left.map(({ metadata }) => metadata.name).join(', ')} outlived it`;
  },
};

/** When a cluster is gone, of its Jobs only those are left that say where a backup is. */
const jobsAreGone: Invariant = {
  name: 'a cluster goes after its Jobs, but those of backups',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'DELETED') return undefined;
    const left = cluster.objects
      .list(jobs)
      .filter(({ metadata: { labels = {} } }) => labels[ownerUidLabel] === change.object.metadata.uid)
      .filter(({ metadata: { labels = {} } }) => !['FinalBackup', 'Backup'].includes(labels[purposeLabel] ?? ''));
    return left.length === 0 ? undefined : `${left.map(({ metadata }) => metadata.name).join(', ')} outlived it`;
  },
};

const isOver = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** A deletion waits for the StatefulSet, the members, Jobs that have not succeeded and claims that are going; and for nothing else, of which it could be that it never comes. */
const deletionsContinue: Invariant = cleanUpNeedsNoUser((cluster) =>
  clusters(cluster)
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata: { name, namespace = '', uid } }) => ({
      of: name,
      waits:
        cluster.objects.find(statefulSets, namespace, name) !== undefined ||
        membersOf(cluster, name).length > 0 ||
        cluster.objects
          .list(jobs)
          .some(
            (job) =>
              job.metadata.labels?.[ownerUidLabel] === uid &&
              (!isOver(job) || job.metadata.deletionTimestamp !== undefined),
          ) ||
        cluster.objects
          .list(persistentVolumeClaims)
          .some(
            ({ metadata: claim }) => claim.labels?.[ownerUidLabel] === uid && claim.deletionTimestamp !== undefined,
          ),
    })),
);

/** What must hold when a cluster is deleted, in every history. */
export const deletionInvariants: readonly Invariant[] = [jobsAreGone, deletedWhenAllIsDone, deletionsContinue];
