import type { Mutation } from '../mutation.ts';

/** The fourth lot of mistakes in KVStoreCluster that were written from the sources alone by an author who had not seen the tests; those that others had thought of are left out. */
export const unseenFourthKvMutations: readonly Mutation[] = [
  {
    name: 'when a cluster is deleted with its volumes, a claim goes too that a user copied from a member claim together with its labels',
    file: 'reconcilers/src/kv-store-cluster/observe.ts',
    find: '{ claims: claims.items.filter(isMembers), jobs: made.items.filter(isOwn), pods: present.items }',
    replace: '{ claims: claims.items, jobs: made.items.filter(isOwn), pods: present.items }',
    breaks: 'nothing foreign touched, data kept',
  },
  {
    name: 'a new cluster with the name of a deleted one, asking for a backup of the same name, hangs: it finds the job name taken by the job that the old cluster left, and its members are never made',
    file: 'constructs/src/workload/task-job.ts',
    find: 'hashOf([object.uid, purpose, subject])',
    replace: 'hashOf([purpose, subject])',
    breaks: 'nothing stuck for ever',
  },
  {
    name: 'a backup that failed is shown as the last backup of the cluster, in place of the last one that succeeded',
    file: 'reconcilers/src/kv-store-cluster/status.ts',
    find: `(purpose === 'Backup' || purpose === 'FinalBackup') && result === 'Succeeded'`,
    replace: `(purpose === 'Backup' || purpose === 'FinalBackup') && result !== undefined`,
    breaks: 'truthful status',
  },
];
