import type { SectionMutations } from '../mutation.ts';

/** Mistakes that the seeds' commands meet. */
export const commands: SectionMutations = {
  section: 'kubectl',
  mutations: [
    {
      claim: '`kubectl patch pod my-cache-2',
      file: 'libs/api/crds/monitoredstatefulsets.statefulsets.example.com.yaml',
      find: 'shortNames: [mss, databasecluster]',
      replace: 'shortNames: [databasecluster]',
    },
    {
      claim: '`kubectl delete kvstorecluster',
      file: 'libs/api/crds/kvstoreclusters.kvstore.example.com.yaml',
      find: 'singular: kvstorecluster',
      replace: 'singular: kvstoreclust',
    },
    {
      claim: '`kubectl scale statefulset',
      file: 'libs/lifecycle/src/decision/drift.ts',
      find: 'if (!isRecord(wanted)) return [];',
      replace: 'if (!isRecord(wanted)) return undefined;',
    },
    {
      claim: '`kubectl delete databasecluster',
      file: 'libs/api/crds/monitoredstatefulsets.statefulsets.example.com.yaml',
      find: 'shortNames: [mss, databasecluster]',
      replace: 'shortNames: [mss]',
    },
    {
      claim: '`kubectl delete database my',
      file: 'libs/api/crds/clouddatabases.db.example.com.yaml',
      find: 'shortNames: [cdb, database]',
      replace: 'shortNames: [cdb]',
    },
  ],
};
