import type { Mutation } from '../mutation.ts';

const drill = 'reconcilers/src/kv-store-cluster/drill';

/** Mistakes in the restore drills of a KVStoreCluster. */
export const drillMutations: readonly Mutation[] = [
  {
    name: 'a drill passes as soon as its scratch cluster is ready',
    file: `${drill}/drill.ts`,
    find: "switch (task.state) {\n    case 'Running': {",
    replace: "switch (task.state === 'Failed' ? 'Succeeded' : task.state) {\n    case 'Running': {",
    breaks: 'issue 26: a drill that did not pass is never recorded as passed',
  },
  {
    name: 'a drill has no deadline',
    file: `${drill}/drill.ts`,
    find: 'if (!isLate) return step;',
    replace: "if (!isLate || record.name !== '') return step;",
    breaks: 'issue 26: a scratch cluster is always removed',
  },
  {
    name: 'the scratch cluster of a drill stays',
    file: `${drill}/drill.ts`,
    find: '...waiting(record, untilGone(cluster, now), now), actions: deleteScratch(cluster) };',
    replace: '...waiting(record, untilGone(cluster, now), now), actions: [] };',
    breaks: 'issue 26: a scratch cluster is always removed',
  },
  {
    name: 'a drill is closed before its scratch cluster is gone',
    file: `${drill}/drill.ts`,
    find: "if (scratch.state === 'Ours' || scratch.state === 'Unrecorded') {",
    replace: "if (scratch.state === 'Ours' && scratch.cluster.metadata.deletionTimestamp === undefined) {",
    breaks: 'issue 26: a scratch cluster is always removed',
  },
  {
    name: 'a scratch cluster that no open drill has stays',
    file: `${drill}/drill.ts`,
    find: '  ...deleteLeftovers(seen, open),\n',
    replace: '',
    breaks: 'issue 26: a scratch cluster is always removed',
  },
  {
    name: 'what has the name of a scratch cluster counts as one',
    file: `${drill}/scratch.ts`,
    find: 'return sealer.holds(sealedName(name), annotations?.[sealAnnotation]);',
    replace: "return sealer.holds(sealedName(name), annotations?.[sealAnnotation]) || name !== '';",
    breaks: 'I13',
  },
  {
    name: 'a scratch cluster is known by its seal until its UID is recorded',
    file: `${drill}/scratch.ts`,
    find: "return isMade(found.cluster, sealer) ? { state: 'Unrecorded', cluster: found.cluster } : { state: 'Taken' };",
    replace: "return isMade(found.cluster, sealer) ? { state: 'Ours', ...found } : { state: 'Taken' };",
    breaks: 'issue 26: a drill that did not pass is never recorded as passed',
  },
  {
    name: 'a scratch cluster that another client has changed is checked all the same',
    file: `${drill}/drill.ts`,
    find: 'if (spoiled !== undefined) return',
    replace: "if (spoiled === '') return",
    breaks: 'issue 26: a drill that did not pass is never recorded as passed',
  },
  {
    name: 'a time of the schedule of drills is not settled when its drill begins',
    file: `${drill}/schedule.ts`,
    find: 'return { state: { ...state, settledAt: timestamp(run.due) }, name:',
    replace: 'return { state, name:',
    breaks: 'issue 26: scheduled drills',
  },
  {
    name: 'a check reaches the real cluster',
    file: `${drill}/check.ts`,
    find: 'ORDINAL_SERVICE: `${metadata.name}.${namespace}.svc`,',
    replace: 'ORDINAL_SERVICE: `${seen.cluster.metadata.name}.${namespace}.svc`,',
    breaks: 'issue 26: a drill never touches the real cluster',
  },
];
