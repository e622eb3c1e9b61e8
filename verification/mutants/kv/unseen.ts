import type { Mutation } from '../mutation.ts';

const store = 'reconcilers/src/kv-store-cluster';

/** More mistakes in KVStoreCluster, written from the sources alone by an author who had not seen the tests. */
export const unseenKvMutations: readonly Mutation[] = [
  {
    name: 'the volumes go with a cluster whose final backup has failed',
    file: `${store}/deletion-leftovers.ts`,
    find: 'return isBackedUp(cluster);',
    replace: "return cluster.status?.hooks?.find(({ purpose }) => purpose === 'FinalBackup')?.result !== undefined;",
    breaks: 'S0.11',
  },
  {
    name: 'a cluster that lives and was scaled is restored over its data when its StatefulSet is lost',
    file: `${store}/backup.ts`,
    find: ' || seen.cluster.status?.currentVersion !== undefined)',
    replace: ')',
    breaks: 'I14',
  },
  {
    name: 'members are taken away although the Job before it has failed',
    file: `${store}/scale.ts`,
    find: "if (step.state === 'Succeeded') return",
    replace: "if (step.state !== 'Running') return",
    breaks: 'scale-in: data leaves before its member does',
  },
  {
    name: 'one canary that has passed counts for all members',
    file: 'lifecycle/src/canary/judgement.ts',
    find: '(judgement) => judgement.podUID === uid && judgement.revision === revision',
    replace: '(judgement) => judgement.revision === revision',
    breaks: 'S0.9',
  },
  {
    name: 'a pause does not hold a rolling upgrade',
    file: 'lifecycle/src/rollout/next.ts',
    find: "{ release: 'pause' }",
    replace: "{ release: 'pause', partition: 0 }",
    breaks: 'S0.3',
  },
  {
    name: 'a cluster whose volumes should grow asks for what a StatefulSet refuses, and changes no more',
    file: `${store}/children.ts`,
    find: ', ...(claims ? { volumeClaimTemplates: claims } : {}) };',
    replace: ' };',
    breaks: 'I29',
  },
  {
    name: 'a volume that was asked for in other words is patched at each reconcile',
    file: `${store}/volumes.ts`,
    find: '(claim) => less(requested(claim), size)',
    replace: '(claim) => requested(claim) !== size',
    breaks: 'nothing is written when nothing changes',
  },
  {
    name: 'a volume is asked to grow before it is bound, which an API server refuses',
    file: `${store}/volumes.ts`,
    find: "metadata.deletionTimestamp === undefined && status?.phase === 'Bound'",
    replace: 'metadata.deletionTimestamp === undefined',
    breaks: 'a real API server takes every write',
  },
  {
    name: 'the status tells of a backup that has failed as the last one',
    file: `${store}/status.ts`,
    find: "purpose === 'FinalBackup') && result === 'Succeeded')",
    replace: "purpose === 'FinalBackup') && result !== undefined)",
    breaks: 'a status says what is so',
  },
  {
    name: 'a final backup that fails is tried each minute, and never more seldom',
    file: 'lifecycle/src/task/run.ts',
    find: 'again: _again, ...rest } = begun(record, wanted);',
    replace: 'again: _again, attempts: _attempts, ...rest } = begun(record, wanted);',
    breaks: 'S0.22',
  },
];
