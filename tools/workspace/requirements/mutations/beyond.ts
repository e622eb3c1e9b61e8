import type { SectionMutations } from '../mutation.ts';
import { lifecycle, searched, src } from './folders.ts';
import { known } from './known.ts';

const kv = `${src}/kv-store-cluster`;

/** Mistakes in what is asked beyond the seeds. */
export const beyond: SectionMutations = {
  section: 'upgrades',
  mutations: [
    {
      claim: 'hand-off, then gates',
      file: `${lifecycle}/rollout/gate-job.ts`,
      find: "if (next === 'create') return { ...answer,",
      replace: "if (next === 'never') return { ...answer,",
    },
    {
      claim: 'the same for KVStoreCluster, where a partition',
      file: `${lifecycle}/partition/release.ts`,
      find: 'return { ...asIntended, ...judge({ ...asked, candidates, highest }, now) };',
      replace: 'return asIntended;',
    },
    {
      claim: 'a leader goes only when',
      ...known('cache', 'a leader goes down although no member has its data'),
      tests: [
        {
          file: `${lifecycle}/rollout/rollout.test.ts`,
          titles: ['a leader goes down only when a peer has its data (I5)'],
        },
      ],
    },
    {
      claim: 'the next only when each replacement',
      ...known('cache', 'the next member goes down while the last one has not caught up'),
    },
    { claim: 'a broken and outdated pod', ...known('cache', 'a broken and outdated member waits for its gates') },
    { claim: 'deleted by its UID', ...known('cache', 'a member is deleted although it has changed') },
    { claim: 'deletions by hand', ...known('cache', 'a drain that comes too early is refused for good') },
    { claim: 'who may go is what', ...known('cache', 'a member goes for what was true a while ago') },
    {
      claim: 'where the webhook is down',
      file: 'libs/constructs/src/clustered-cache/pod-template.ts',
      find: '{ lifecycle: { preStop: hook.handler } }',
      replace: '{ lifecycle: { postStart: hook.handler } }',
    },
    { claim: 'the deadline first', ...known('cache', 'the deadline is looked at last') },
    { claim: 'a changed or reverted spec', ...known('cache', 'a broken and outdated member waits for its gates') },
    {
      claim: 'a finalizer that is taken off',
      file: `${src}/clustered-cache/held-pods.ts`,
      find: 'if (!isHeld(pod)) return `the finalizer of ${hold.pod} was taken off`;',
      replace: 'if (!isHeld(pod)) return undefined;',
    },
    {
      claim: 'a deletion never strands',
      ...known('cache', 'the deletion of a cache does not let its pods go'),
      tests: searched('clustered-cache', 'a deletion in the middle of an upgrade'),
    },
    {
      claim: '`status.upgrade`: step',
      file: `${src}/upgrade/record.ts`,
      find: '...(outcome.blockedBy === undefined ? {} : { blockedBy: outcome.blockedBy }), ...(release === undefined ? {} : { release }),',
      replace: '...(outcome.blockedBy === undefined ? {} : { blockedBy: outcome.blockedBy }),',
    },
    {
      claim: 'volumes found by a label',
      ...known('kv', 'claims have an owner'),
      tests: searched('kv-store-cluster', 'a deletion with a final backup'),
    },
    {
      claim: 'volumes grow',
      file: `${kv}/volumes.ts`,
      find: 'metadata.deletionTimestamp === undefined && status?.phase ===',
      replace: 'metadata.deletionTimestamp !== undefined && status?.phase ===',
    },
    { claim: 'analysis by Job', ...known('kv', 'a judgement counts for the pod of the same name') },
    { claim: 'abort, also while', ...known('kv', 'an abort is not heard') },
    { claim: 'scaled while a canary', ...known('kv', 'there is a canary less than asked for') },
    { claim: "the canary's node is lost", ...known('kv', 'a member that does not come back has no deadline') },
    { claim: 'a failure puts partition', ...known('kv', 'a rollback puts only the version back') },
    { claim: 'deletion: each step', ...known('kv', 'waiting for what is going has no deadline') },
    {
      claim: "nothing that is not the cluster's",
      ...known('kv', 'a pod with the labels of a member is taken for one'),
    },
    {
      claim: 'a foreground cascade',
      file: `${kv}/deletion.ts`,
      find: 'const { backup, delete: hooks } = seen.cluster.spec; if (!seen.namespaceTerminating) return undefined;',
      replace:
        'const { backup, delete: hooks } = seen.cluster.spec; if (!seen.namespaceTerminating || seen.namespaceTerminating) return undefined;',
    },
    { claim: 'on-demand backup', ...known('kv', 'members start before the restore has ended') },
    { claim: 'hooks before the first pod', ...known('kv', 'a hook of an earlier upgrade counts for this one') },
    { claim: "a hook's last lines", ...known('kv', 'a secret stands in the status') },
    {
      claim: 'a policy for the claims',
      ...known('kv', 'claims of ordinals that are taken away go against the policy'),
    },
    {
      claim: 'each time of a backup schedule',
      ...known('kv', 'a time of the schedule is not settled when its backup begins'),
    },
    { claim: 'times that were missed', ...known('kv', 'what passes during a suspension is made up for') },
    { claim: 'retention never prunes', ...known('kv', 'the newest backup that succeeded is pruned') },
    { claim: 'the record of a backup goes', ...known('kv', 'a record goes before what is stored is removed') },
    { claim: 'the scratch cluster of a restore drill', ...known('kv', 'the scratch cluster of a drill stays') },
    { claim: 'a restore drill passes only', ...known('kv', 'a drill passes as soon as its scratch cluster is ready') },
    { claim: 'a restore drill never reaches', ...known('kv', 'a check reaches the real cluster') },
    {
      claim: 'that there may be data',
      ...known('kv', 'an earlier status of the operator takes back that there may be data'),
    },
    { claim: 'the mark of another cluster', ...known('kv', 'the mark of another cluster says that there may be data') },
    {
      claim: 'a Job before the first member',
      ...known('cache', 'members are made of the new version while the Job before the first one runs'),
    },
    {
      claim: 'canaries of a cache',
      ...known('cache', 'the others follow a canary that was not judged'),
    },
    {
      claim: '`maxUnavailable`: several followers',
      ...known('cache', 'one more member goes than may be unavailable'),
    },
    {
      claim: 'one pod at a time through the gates',
      file: 'libs/reconcilers/src/monitored-stateful-set/children.ts',
      find: "replicas, updateStrategy: { type: 'OnDelete' }",
      replace: "replicas, updateStrategy: { type: 'RollingUpdate' }",
    },
    {
      claim: 'drains, evictions and deletions by hand meet',
      ...known('external', 'drains take the members of a set past their closed gates'),
    },
    {
      claim: 'a member of a set that goes past its gates',
      ...known('external', 'a member of a set that another client deletes past its gates is not reported'),
    },
    {
      claim: 'a StatefulSet that a user deletes in the middle',
      ...known('external', 'a set has no way back after its StatefulSet was deleted'),
    },
    {
      claim: 'hand-off, `LeaderLast` and `sync` of a set',
      ...known('cache', 'the leader goes down first'),
    },
    {
      claim: 'no pod restarts when',
      ...known('external', 'a template that another client has changed is taken for the one that is wanted'),
    },
    {
      claim: '`OrderedReady` and `minReadySeconds`',
      ...known('external', 'a pod counts as soon as it is ready, whatever minReadySeconds says'),
    },
    { claim: 'a gate that can', ...known('cache', 'a check without an answer shows in no condition') },
    { claim: 'a Job of a store that has failed', ...known('kv', 'a Job that has failed shows in no condition') },
    {
      claim: 'a clean-up Job that has failed',
      ...known('external', 'a clean-up Job that fails is reported no more where its pauses are long'),
    },
    {
      claim: 'what lasts is reported again',
      file: `${lifecycle}/error-management/lasting-failure.ts`,
      find: 'return isReported ? { ...event, atMostEveryMs: reportAgainMs } : event;',
      replace: 'return isReported ? { ...event, atMostEveryMs: 0 } : event;',
    },
  ],
};
