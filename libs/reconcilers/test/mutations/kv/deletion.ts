import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in the deletion of a KVStoreCluster. */
export const deletionMutations: readonly Mutation[] = [
  {
    name: 'volumes go before the members',
    file: `${kv}/deletion.ts`,
    find: '    stopMembers(seen, now) ??\n    deleteJobs(seen, now) ??\n    deleteVolumes(seen, now) ??\n',
    replace: '    deleteVolumes(seen, now) ??\n    stopMembers(seen, now) ??\n    deleteJobs(seen, now) ??\n',
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
    name: 'a final backup waits for members that nobody takes down',
    file: `${kv}/deletion-members.ts`,
    find: 'waitUntilGone({ ...waiting, actions: takeOrphans(members) }, members, {',
    replace:
      "waitUntilGone(waiting.reason === 'FinalBackup' ? waiting : { ...waiting, actions: takeOrphans(members) }, members, {",
    breaks: 'I18',
  },
  {
    name: 'a final backup under a foreground cascade talks to members that go',
    file: `${kv}/deletion-tasks.ts`,
    find: 'underForeground(seen) ||\n    seen.statefulSet === undefined ||\n    seen.statefulSet.metadata.deletionTimestamp !== undefined;',
    replace: 'seen.statefulSet === undefined && !seen.cluster;',
    breaks: 'S0.12',
  },
  {
    name: 'a final backup under a foreground cascade does not mount the claims',
    file: `${kv}/deletion-tasks.ts`,
    find: 'claims: stopped ? claimsOf(seen) : [],',
    replace: 'claims: [],',
    breaks: 'S0.12',
  },
  {
    name: 'the final backup begins in a namespace that is being deleted',
    file: `${kv}/deletion-tasks.ts`,
    find: 'if (seen.namespaceTerminating) return undefined;\n',
    replace: '\n',
    breaks: 'S0.13',
  },
  {
    name: 'an invalid cluster can’t be deleted',
    file: `${kv}/reconcile.ts`,
    find: 'if (seen.cluster.metadata.deletionTimestamp !== undefined) return decideKVStoreCluster(seen, now);',
    replace: '',
    breaks: 'S0.25',
  },
  {
    name: 'volumes go without a backup and without a policy',
    file: `${kv}/deletion-leftovers.ts`,
    find: "return recordOf(cluster.status, 'FinalBackup')?.result === 'Succeeded';",
    replace: "return recordOf(cluster.status, 'FinalBackup')?.result !== 'Failed';",
    breaks: 'I12',
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
    name: 'the deletion goes on before the backup is recorded',
    file: `${kv}/deletion-tasks.ts`,
    find: 'if (recordOf(seen.cluster.status, what)?.result === run.state) return undefined;',
    replace: "if (run.state === 'Succeeded') return undefined;",
    breaks: 'I14',
  },
  {
    name: 'a required backup that failed is enough',
    file: `${kv}/deletion-tasks.ts`,
    find: "(run.state === 'Failed' && backup.onDelete === 'BestEffort')",
    replace: "run.state === 'Failed'",
    breaks: 'seed 001: final backup',
  },
  {
    name: 'the backup is left out when the deletion is resumed',
    file: `${kv}/deletion-tasks.ts`,
    find: "if (before?.result === 'Succeeded') return undefined;",
    replace: 'if (before !== undefined) return undefined;',
    breaks: 'I14',
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
    find: '    letGo(seen, now) ??\n',
    replace: '',
    breaks: 'I12',
  },
  {
    name: 'the cluster goes before its Jobs',
    file: `${kv}/deletion.ts`,
    find: '    deleteJobs(seen, now) ??\n    deleteVolumes',
    replace: '    deleteVolumes',
    breaks: 'I14',
  },
  {
    name: 'waiting for what is going has no deadline',
    file: `${kv}/deletion-step.ts`,
    find: 'if (!stuck) return',
    replace: 'if (!stuck || about.now > 0) return',
    breaks: 'issue 6: each step with a deadline',
  },
  {
    name: 'a pod with the labels of a member is taken for one',
    file: `${kv}/deletion-members.ts`,
    find: "return spec.volumes?.some((volume) => ours.has(volume.persistentVolumeClaim?.claimName ?? '')) ?? false;",
    replace: 'return spec.containers.length + ours.size > 0;',
    breaks: 'I13',
  },
  {
    name: 'a deletion waits a while for a StatefulSet that is gone',
    file: `${kv}/deletion-members.ts`,
    find: 'if (statefulSet === undefined && left.length === 0) return undefined;',
    replace:
      "if (statefulSet === undefined && left.length === 0) return now < Date.parse(seen.cluster.metadata.deletionTimestamp ?? '') + 900_000 ? step('StoppingMembers', 'waiting', { lookAgainAt: now + 60_000 }) : undefined;",
    breaks: 'I18',
  },
  {
    name: 'a cluster that is being deleted goes on to say that it is available',
    file: 'reconcilers/src/kv-store-cluster/status.ts',
    find: "    available(seen, 'Terminating'),\n",
    replace: '',
    breaks: 'a status says what is so',
  },
];
