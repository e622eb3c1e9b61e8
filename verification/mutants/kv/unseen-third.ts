import type { Mutation } from '../mutation.ts';

/** The third lot of mistakes in KVStoreCluster that were written from the sources alone by an author who had not seen the tests. */
export const unseenThirdKvMutations: readonly Mutation[] = [
  {
    name: 'the volume of a member that is still wanted is deleted while the job before a scale-down has not succeeded yet',
    file: 'reconcilers/src/kv-store-cluster/volumes.ts',
    find: `  const { cluster, statefulSet, claims, pods: members } = seen;
  if (cluster.spec.scaleDown?.claims !== 'Delete' || statefulSet?.spec?.replicas !== cluster.spec.replicas) return [];`,
    replace: `  const { cluster, claims, pods: members } = seen;
  if (cluster.spec.scaleDown?.claims !== 'Delete') return [];`,
    breaks: 'claims: they go only once the StatefulSet has come down to t',
  },
  {
    name: 'the status forgets during a deletion which version ran, so that the final backup is skipped and the members and volumes go without it',
    file: 'reconcilers/src/kv-store-cluster/status.ts',
    find: `    ...counts(seen),
    ...pastOf(cluster.status),
    ...defined({ failedRevision, failure }),`,
    replace: `    ...counts(seen),
    ...defined({ failedRevision, failure }),`,
    breaks: 'deletion order, final backup: without currentVersion the clu',
  },
  {
    name: 'a canary that bakes longer than the progress deadline fails as soon as its analysis begins',
    file: 'reconcilers/src/kv-store-cluster/upgrade.ts',
    find: 'return waited || (partition < (record.partition ?? everyMember) && !isReplacedAgain);',
    replace: 'return partition < (record.partition ?? everyMember) && !isReplacedAgain;',
    breaks: 'deadline: waiting for time or for a person does not count; a',
  },
  {
    name: 'the promotion of the last upgrade promotes the next one too, where the version stays the same',
    file: 'lifecycle/src/canary/judgement.ts',
    find: 'value === revision || (value === version && version !== runs)',
    replace: 'value === revision || value === version',
    breaks: 'promotion: a person has to promote this upgrade; an old anno',
  },
  {
    name: 'an upgrade whose job before the first pod has failed once can never be tried again, because the old result is taken for the new one',
    file: 'reconcilers/src/kv-store-cluster/rollout-step.ts',
    find: 'subject: subjectOf(view.record),',
    replace: 'subject: view.wanted,',
    breaks: 'hooks and retries: an upgrade that is asked for again runs i',
  },
  {
    name: 'members of the old version that are held back during a canary are deleted again and again as soon as one is not ready',
    file: 'reconcilers/src/kv-store-cluster/upgrade.ts',
    find: 'brokenAndOutdated(view, Math.max(partition, view.partition))',
    replace: 'brokenAndOutdated(view, 0)',
    breaks: 'rolling update: members below the partition come back as the',
  },
  {
    name: 'the finalizer goes although volumes and jobs are left that the caches have not shown yet, and they are never deleted',
    file: 'reconcilers/src/kv-store-cluster/reconcile.ts',
    find: `    endsDeletion(decision) ||
    deleted.includes(persistentVolumeClaims.kind) ||`,
    replace: `    deleted.includes(persistentVolumeClaims.kind) ||`,
    breaks: 'stale views: the end of a deletion is decided only on what t',
  },
];
