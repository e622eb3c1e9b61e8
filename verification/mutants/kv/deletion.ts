import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in the deletion of a KVStoreCluster. */
export const deletionMutations: readonly Mutation[] = [
  {
    name: 'a StatefulSet that another client holds is waited for in silence',
    file: `${kv}/deletion-members.ts`,
    find: 'foreign(statefulSet).length > 0 || members.every',
    replace: 'foreign(statefulSet).length < 0 && members.every',
    breaks: 'I14',
  },
  {
    name: 'volumes go before the members',
    file: `${kv}/deletion.ts`,
    find: '[beforeDelete, orphanMembers, endWriters, requestedBackup, finalBackup, stopMembers, deleteJobs, deleteVolumes]',
    replace:
      '[beforeDelete, orphanMembers, endWriters, requestedBackup, finalBackup, deleteVolumes, stopMembers, deleteJobs]',
    breaks: 'S0.11',
  },
  {
    name: 'volumes go while pods still end',
    file: `${kv}/deletion-members.ts`,
    find: 'if (statefulSet === undefined && left.length === 0) return undefined;',
    replace: 'if (statefulSet === undefined || left.length < 0) return undefined;',
    breaks: 'S0.11',
  },
  {
    name: 'volumes of ordinals that were taken away leak',
    file: `${kv}/deletion-leftovers.ts`,
    find: 'const going = seen.claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);',
    replace:
      'const going = seen.claims.filter((claim) => claim.metadata.deletionTimestamp === undefined && Number(claim.metadata.name.slice(claim.metadata.name.lastIndexOf("-") + 1)) < seen.cluster.spec.replicas);',
    breaks: 'S0.11, I11, I12',
  },
  {
    name: 'volumes leak when the StatefulSet is gone already',
    file: `${kv}/deletion-leftovers.ts`,
    find: 'if (seen.claims.length === 0 || !volumesGo(seen)) return undefined;',
    replace: 'if (seen.claims.length === 0 || seen.statefulSet === undefined || !volumesGo(seen)) return undefined;',
    breaks: 'S0.11, I12',
  },
  {
    name: 'members that do not go, and that no one asks to terminate, are not reported',
    file: `${kv}/deletion-members.ts`,
    find: '...(statefulSet === undefined && { since: unkeptSince(cluster, now) }),',
    replace: '',
    breaks: 'I18',
  },
  {
    name: 'an invalid cluster can’t be deleted',
    file: `${kv}/reconcile.ts`,
    find: 'if (seen.cluster.metadata.deletionTimestamp !== undefined) return decideKVStoreCluster(seen, inputs);',
    replace: '',
    breaks: 'S0.25',
  },
  {
    name: 'volumes go although they shall be kept',
    file: `${kv}/deletion-leftovers.ts`,
    find: "if (deletionPolicy !== undefined) return deletionPolicy === 'Delete';",
    replace: "if (deletionPolicy === 'Delete') return true;",
    breaks: 'I12',
  },
  {
    name: 'claims of another cluster of this name count as ours',
    file: `${kv}/observe.ts`,
    find: 'object.metadata.labels?.[ownerUidLabel] === uid;',
    replace: 'object.metadata.labels?.[ownerUidLabel] !== undefined || uid === undefined;',
    breaks: 'I13',
  },
  {
    name: 'the escape is not heard',
    file: `${kv}/deletion-tasks.ts`,
    find: 'skippedIn(seen).includes(what);',
    replace: "skippedIn(seen).includes(what + '!');",
    breaks: 'I11',
  },
  {
    name: 'an orphaning deletion takes the members down',
    file: `${kv}/deletion.ts`,
    find: '[beforeDelete, orphanMembers, endWriters, requestedBackup, finalBackup, stopMembers, deleteJobs, deleteVolumes]',
    replace: '[beforeDelete, endWriters, requestedBackup, finalBackup, stopMembers, deleteJobs, deleteVolumes]',
    breaks: 'I12',
  },
  {
    name: 'the cluster goes before its Jobs',
    file: `${kv}/deletion.ts`,
    find: '[beforeDelete, orphanMembers, endWriters, requestedBackup, finalBackup, stopMembers, deleteJobs, deleteVolumes]',
    replace: '[beforeDelete, orphanMembers, endWriters, requestedBackup, finalBackup, stopMembers, deleteVolumes]',
    breaks: 'I14',
  },
  {
    name: 'waiting for what is going has no deadline',
    file: 'lifecycle/src/clean-up/wait.ts',
    find: 'if (!stuck) return',
    replace: 'if (!stuck || about.now > 0) return',
    breaks: 'issue 6: each step with a deadline',
  },
  {
    name: 'a pod with the labels of a member is taken for one',
    file: `${kv}/deletion-members.ts`,
    find: "return pod.spec.volumes?.some((volume) => ours.has(volume.persistentVolumeClaim?.claimName ?? '')) ?? false;",
    replace: 'return pod.spec.containers.length + ours.size > 0;',
    breaks: 'I13',
  },
  {
    name: 'a deletion waits a while for a StatefulSet that is gone',
    file: `${kv}/deletion-members.ts`,
    find: 'if (statefulSet === undefined && left.length === 0) return undefined;',
    replace:
      "if (statefulSet === undefined && left.length === 0) return now < Date.parse(seen.cluster.metadata.deletionTimestamp ?? '') + 900_000 ? cleanUpStep('StoppingMembers', 'waiting', { lookAgainAt: now + 60_000 }) : undefined;",
    breaks: 'I18',
  },
  {
    name: 'a cluster that is being deleted goes on to say that it is available',
    file: 'reconcilers/src/kv-store-cluster/status.ts',
    find: "    available(seen, 'Terminating'),\n",
    replace: '',
    breaks: 'a status says what is so',
  },
  {
    name: 'members that an orphaning deletion has left are deleted on an old view',
    file: 'reconcilers/src/kv-store-cluster/reconcile.ts',
    find: '(isGoing && (deleted.includes(statefulSets.kind) || deleted.includes(pods.kind)))',
    replace: 'false',
    breaks: 'I9, I12',
  },
  {
    name: 'the members go before their StatefulSet, which makes them again',
    file: `${kv}/deletion-members.ts`,
    find: "descriptor: statefulSets, target: identityOf(statefulSet), because: 'the cluster is being deleted'",
    replace:
      "descriptor: left.length > 0 ? pods : statefulSets, target: identityOf(left[0] ?? statefulSet), because: 'the cluster is being deleted'",
    breaks: 'I15',
  },
  {
    name: 'the webhook is asked about deletions of our kinds',
    file: 'constructs/src/install/webhooks.ts',
    find: "operations: ['CREATE', 'UPDATE'],",
    replace: "operations: ['CREATE', 'UPDATE', 'DELETE'],",
    breaks: 'I10',
  },
];
