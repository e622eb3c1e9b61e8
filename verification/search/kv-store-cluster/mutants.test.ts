import { call, findsMutants } from '../engine/mutant.ts';
import type { Mutant } from '../engine/mutant.ts';

type Names = 'upgrade' | 'rollback' | 'badCanary' | 'backUpAndDelete' | 'failingBackup' | 'drills' | 'guardedUpgrade';

const upgrade = '../../../libs/reconcilers/src/kv-store-cluster/upgrade.ts';
const status = '../../../libs/reconcilers/src/kv-store-cluster/status.ts';
const deletion = '../../../libs/reconcilers/src/kv-store-cluster/deletion.ts';

interface Seen {
  readonly cluster: {
    readonly metadata: { readonly deletionTimestamp: string };
    readonly spec: { readonly version: string };
    readonly status?: { readonly currentVersion?: string };
  };
  readonly claims: readonly {
    readonly metadata: { readonly name: string; readonly uid: string; readonly namespace?: string };
  }[];
}

const mutants: readonly Mutant<Names>[] = [
  {
    bug: 'S0.7: currentVersion moves when the upgrade begins',
    module: status,
    change: (original) => ({
      statusOf: (seen: Seen, ...rest: unknown[]) => ({
        ...(call(original, 'statusOf', seen, ...rest) as object),
        currentVersion: seen.cluster.spec.version,
      }),
    }),
    scenario: 'upgrade',
  },
  {
    bug: 'S0.8: a failed upgrade is tried again at once',
    module: upgrade,
    change: () => ({ hasFailed: () => false }),
    scenario: 'badCanary',
  },
  {
    bug: 'S0.9: a canary is never judged',
    module: '../../../libs/lifecycle/src/canary/judgement.ts',
    change: () => ({ judgementOf: () => ({ result: 'Passed' }) }),
    scenario: 'badCanary',
  },
  {
    bug: 'S0.10: a rollback leaves the broken member',
    module: upgrade,
    change: () => ({ brokenAndOutdated: () => [] }),
    scenario: 'rollback',
  },
  {
    bug: 'S0.11: volumes go while the members live',
    module: deletion,
    change: (original) => ({
      decideDeletion: (seen: Seen, now: number) => {
        const step = call(original, 'decideDeletion', seen, now) as { reason: string; actions: object[] };
        if (step.reason !== 'StoppingMembers') return step;
        const actions = seen.claims.map(({ metadata: { name, uid, namespace = '' } }) => ({
          kind: 'delete',
          descriptor: {
            group: '',
            version: 'v1',
            kind: 'PersistentVolumeClaim',
            plural: 'persistentvolumeclaims',
            scope: 'Namespaced',
          },
          target: { namespace, name, uid },
          because: 'the seed does so',
        }));
        return { ...step, actions: [...actions, ...step.actions] };
      },
    }),
    scenario: 'backUpAndDelete',
  },
  {
    bug: 'S0.11: volumes are forgotten when the StatefulSet is gone',
    module: deletion,
    change: (original) => ({
      decideDeletion: (seen: Seen & { statefulSet?: object }, now: number) =>
        call(original, 'decideDeletion', seen.statefulSet ? seen : { ...seen, claims: [] }, now),
    }),
    scenario: 'backUpAndDelete',
  },
  {
    bug: 'I18: a deletion waits a while for a StatefulSet that is gone',
    module: '../../../libs/reconcilers/src/kv-store-cluster/deletion-members.ts',
    change: (original) => ({
      stopMembers: (seen: Seen & { statefulSet?: object }, now: number) => {
        const step = call(original, 'stopMembers', seen, now);
        const until = Date.parse(seen.cluster.metadata.deletionTimestamp) + 900_000;
        if (step !== undefined || seen.statefulSet !== undefined || now >= until) return step;
        return { reason: 'StoppingMembers', message: '', actions: [], tasks: [], events: [], lookAgainAt: until };
      },
    }),
    scenario: 'backUpAndDelete',
  },
  {
    bug: 'issue 26: a Job that has failed shows in no condition and no event',
    module: '../../../libs/reconcilers/src/kv-store-cluster/failed-jobs.ts',
    change: () => ({ withFailedJobs: (decision: object) => decision }),
    scenario: 'failingBackup',
  },
  {
    bug: 'issue 26: a restore drill that has failed is counted by no gauge',
    module: '../../../libs/reconcilers/src/kv-store-cluster/metrics.ts',
    change: (original) => ({
      kvStoreClusterMetrics: (...rest: unknown[]) =>
        (call(original, 'kvStoreClusterMetrics', ...rest) as { name: string }[]).filter(
          ({ name }) => !name.endsWith('_drill_failed'),
        ),
    }),
    scenario: 'drills',
  },
  {
    bug: 'S0.1: members are released without being asked',
    module: '../../../libs/lifecycle/src/partition/release.ts',
    change: () => ({
      releaseThroughGates: ({ intended: { partition } }: { readonly intended: { readonly partition: number } }) => ({
        ...{ partition, replace: [], actions: [], ask: [], remembered: {} },
      }),
    }),
    scenario: 'guardedUpgrade',
  },
  {
    bug: 'I8: a set shrinks at once',
    module: '../../../libs/reconcilers/src/kv-store-cluster/gates.ts',
    change: () => ({ shrinkStore: () => undefined }),
    scenario: 'guardedUpgrade',
  },
];

findsMutants(mutants, { histories: 8, load: () => import('./scenarios.ts') });
