import type { SectionMutations } from '../mutation.ts';
import { lifecycle, searched, src } from './folders.ts';
import { known } from './known.ts';

const kv = `${src}/kv-store-cluster`;

/** Mistakes in what seed 001 asks for. */
export const kvStoreCluster: SectionMutations = {
  section: '001',
  exempt: [{ claim: 'all of it with real software', because: 'needs nodes with containers: npm run e2e' }],
  mutations: [
    {
      claim: '`version`, `replicas`, `storage',
      file: 'libs/api/src/generated/kvstore.example.com/v1/kvstorecluster.validator.ts',
      find: '"enum":["RollingUpdate","Canary"],"default":"RollingUpdate"',
      replace: '"enum":["RollingUpdate","Canary"],"default":"Canary"',
    },
    { claim: 'a schema migration', ...known('kv', 'the first member goes before its hook has succeeded') },
    { claim: 'a coordinated backup', ...known('kv', 'members are taken away before the hook has run') },
    {
      claim: 'release external resources',
      file: `${kv}/deletion-tasks.ts`,
      find: "const run = clusterTask(seen, { purpose: 'BeforeDelete', subject: seen.cluster.metadata.uid, task, retryMs }, now);",
      replace:
        "return undefined; const run = clusterTask(seen, { purpose: 'BeforeDelete', subject: seen.cluster.metadata.uid, task, retryMs }, now);",
    },
    { claim: 'the finalizer `kvstore', ...known('kv', 'the finalizer is missing') },
    { claim: 'a final backup, waited for', ...known('kv', 'the result of a Job is forgotten when the Job is gone') },
    {
      claim: 'volumes deleted explicitly',
      ...known('kv', 'volumes go without a backup and without a policy'),
      tests: searched('kv-store-cluster', 'growth, shrinkage, and a deletion that keeps the volumes'),
    },
    { claim: 'stuck in Terminating', ...known('kv', 'a required backup that failed is enough') },
    {
      claim: '… and monitored',
      file: 'libs/constructs/src/install/monitoring.ts',
      find: '_upgrade_step_seconds",step=~',
      replace: '_upgrade_steps",step=~',
    },
    {
      claim: 'phase `Failed` while finalizing',
      file: `${kv}/status.ts`,
      find: 'step.failed ? `${step.reason}Failed`',
      replace: "step.failed ? 'AsExpected'",
    },
    {
      claim: 'finalizing is idempotent',
      ...known('kv', 'the backup is left out when the deletion is resumed'),
      tests: searched('kv-store-cluster', 'a deletion with a final backup'),
    },
    {
      claim: 'fetch, compare, act',
      file: `${lifecycle}/decision/execute.ts`,
      find: 'if (!patch) return false;',
      replace: '',
    },
    { claim: 'owner references on the StatefulSet', ...known('kv', 'the StatefulSet has no owner') },
    { claim: 'drift such as', ...known('cache', 'drift of the StatefulSet stays') },
    {
      claim: 'canary by the StatefulSet',
      ...known('kv', 'the others follow while promotion is awaited'),
      tests: searched('kv-store-cluster', 'a canary that passes'),
    },
    {
      claim: 'a failed check: rollback',
      file: `${kv}/status.ts`,
      find: 'if (!hasFailed(seen)) return {};',
      replace: 'return {};',
    },
    {
      claim: '`currentVersion` when it is done',
      ...known('kv', 'currentVersion moves when the upgrade begins'),
      tests: searched('kv-store-cluster', 'a rolling update of three members'),
    },
    {
      claim: 'a rolling update: one member',
      file: 'libs/lifecycle/src/partition/next.ts',
      find: 'return next ? replacing(next, seen)',
      replace: 'return next ? replacing({ ...next, ordinal: 0 }, seen)',
    },
    { claim: 'the partition is 0 again', ...known('kv', 'there is a canary less than asked for') },
    {
      claim: 'watches on pods',
      file: `${kv}/kind.ts`,
      find: '.watches(withAnnotations(pods, [templateHashAnnotation, sealAnnotation]), byLabel, managed)',
      replace: '.reads(withAnnotations(pods, [templateHashAnnotation, sealAnnotation]), managed)',
    },
    { claim: 'long health checks in a Job', ...known('kv', 'an analysis that failed has passed') },
  ],
};
