import { call, findsMutants } from '../engine/mutant.ts';
import type { Mutant } from '../engine/mutant.ts';

type Names =
  | 'upgrade'
  | 'closedGate'
  | 'rollback'
  | 'stop'
  | 'reverted'
  | 'deletion'
  | 'leaderLast'
  | 'succession'
  | 'thirdIsDeleted'
  | 'hooked'
  | 'canaried'
  | 'jobGated';

const never = (): undefined => undefined;

const transit = '../../../libs/lifecycle/src/rollout/transit.ts';
const next = '../../../libs/lifecycle/src/rollout/next.ts';
const status = '../../../libs/reconcilers/src/upgrade/record.ts';

const mutants: readonly Mutant<Names>[] = [
  {
    bug: 'S0.1: gates are not asked before the delete',
    module: next,
    change: (original) => ({
      takeNextDown: (seen: object, now: number) => call(original, 'takeNextDown', { ...seen, gates: [] }, now),
    }),
    scenario: 'closedGate',
  },
  {
    bug: 'S0.2: the finalizer is never taken off again',
    module: transit,
    change: () => ({ releaseEnded: never }),
    scenario: 'upgrade',
  },
  {
    bug: 'S0.3: Kubernetes updates the members by itself',
    module: '@ordinal/constructs',
    change: (original) => ({
      synthesizeClusteredCache: (props: unknown) =>
        (call(original, 'synthesizeClusteredCache', props) as { kind: string; spec?: object }[]).map((child) =>
          child.kind === 'StatefulSet'
            ? { ...child, spec: { ...child.spec, updateStrategy: { type: 'RollingUpdate' } } }
            : child,
        ),
    }),
    scenario: 'closedGate',
  },
  {
    bug: 'S0.4: a broken member blocks its own repair',
    module: transit,
    change: () => ({ replaceBroken: never }),
    scenario: 'reverted',
  },
  {
    bug: 'S0.5: a rollback does not put the template back',
    module: '../../../libs/reconcilers/src/clustered-cache/template.ts',
    change: (original) => ({
      wantedTemplate: (cache: { spec: object }, set: unknown) =>
        call(original, 'wantedTemplate', { ...cache, spec: { ...cache.spec, upgrade: {} } }, set),
    }),
    scenario: 'rollback',
  },
  {
    bug: 'S0.6: a deletion leaves finalizers on pods',
    module: '../../../libs/reconcilers/src/clustered-cache/release.ts',
    change: () => ({ releasePods: () => [] }),
    scenario: 'deletion',
  },
  {
    bug: 'S0.7: currentVersion moves at the start',
    module: status,
    change: (original) => ({
      upgradeFields: (findings: { object: { spec: { image: string } } }) => ({
        ...(call(original, 'upgradeFields', findings) as object),
        currentVersion: findings.object.spec.image,
      }),
    }),
    scenario: 'upgrade',
  },
  {
    bug: 'S0.8: what has failed is forgotten',
    module: status,
    change: (original) => ({
      upgradeFields: (findings: unknown) => ({
        ...(call(original, 'upgradeFields', findings) as object),
        failedRevision: undefined,
      }),
    }),
    scenario: 'rollback',
  },
  {
    bug: 'I8: a missing member is not waited for',
    module: transit,
    change: () => ({ awaitMissing: never, awaitUnready: never }),
    scenario: 'upgrade',
  },
  {
    bug: 'I8: an unready member is not waited for',
    module: transit,
    change: () => ({ awaitUnready: never }),
    scenario: 'upgrade',
  },
  {
    bug: 'I19: the deadline is not looked at',
    module: '../../../libs/lifecycle/src/rollout/deadline.ts',
    change: () => ({ giveUp: never }),
    scenario: 'stop',
  },
  {
    bug: 'I5: a leader is deleted without a hand-off',
    module: next,
    change: (original) => ({
      takeNextDown: (seen: object, now: number) =>
        call(
          original,
          'takeNextDown',
          { ...seen, order: 'ReverseOrdinal', can: { role: false, sync: false, handoff: false } },
          now,
        ),
    }),
    scenario: 'leaderLast',
  },
  {
    bug: 'I5: a leader is deleted although no member has its data',
    module: next,
    change: (original) => ({
      takeNextDown: (seen: { can: object }, now: number) =>
        call(original, 'takeNextDown', { ...seen, can: { ...seen.can, role: false, sync: false } }, now),
    }),
    scenario: 'succession',
  },
  {
    bug: 'I8: of two replacements that lag one is forgotten',
    module: '../../../libs/lifecycle/src/rollout/catch-up.ts',
    change: (original) => ({
      catchingUpAfter: (...rest: unknown[]) => (call(original, 'catchingUpAfter', ...rest) as unknown[]).slice(0, 1),
    }),
    scenario: 'thirdIsDeleted',
  },
  {
    bug: 'members are made of the new version before the Job that comes first has succeeded',
    module: '../../../libs/reconcilers/src/upgrade/hook-record.ts',
    change: () => ({ isHookDone: () => true }),
    scenario: 'hooked',
  },
  {
    bug: 'the Job before the first member is not waited for',
    module: '../../../libs/lifecycle/src/rollout/before-first-pod.ts',
    change: () => ({ beforeFirstPod: never }),
    scenario: 'hooked',
  },
  {
    bug: 'S0.9: the others follow a canary that was not judged',
    module: '../../../libs/lifecycle/src/rollout/canaries.ts',
    change: () => ({ awaitCanaries: never, judgeCanaries: never, mayFollow: () => true, areJudged: () => true }),
    scenario: 'canaried',
  },
  {
    bug: 'S0.9: a judgement counts for whatever pod comes after',
    module: '../../../libs/lifecycle/src/canary/judgement.ts',
    change: () => ({
      judgementOf: (judgements: readonly { result?: string }[] = []) =>
        judgements.find(({ result }) => result === 'Passed'),
    }),
    scenario: 'canaried',
  },
  {
    bug: 'S0.9: an upgrade is complete before its last member was judged',
    module: '../../../libs/lifecycle/src/rollout/canaries.ts',
    change: (original) => ({
      ...Object.fromEntries(
        ['awaitCanaries', 'judgeCanaries'].map((rule) => [
          rule,
          (seen: { members: { revision: string }[]; revision: string }, now: number) =>
            seen.members.every(({ revision }) => revision === seen.revision)
              ? undefined
              : call(original, rule, seen, now),
        ]),
      ),
      areJudged: () => true,
    }),
    scenario: 'canaried',
  },
  {
    bug: 'issue 26: the Job of a gate that has failed shows in no condition',
    module: '../../../libs/reconcilers/src/upgrade/failed-check.ts',
    change: () => ({ withFailedCheckOf: (decision: object) => decision }),
    scenario: 'jobGated',
  },
];

findsMutants(mutants, { histories: 12, load: () => import('./scenarios.ts') });
