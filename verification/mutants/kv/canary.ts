import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in canaries of a KVStoreCluster: who goes next, and when. */
export const canaryMutations: readonly Mutation[] = [
  {
    name: 'canaries are asked before they are updated only',
    file: 'lifecycle/src/partition/canaries.ts',
    find: 'if (!member || !isUpdated(member, seen)) return',
    replace: 'if (!member || isUpdated(member, seen)) return',
    breaks: 'S0.9',
  },
  {
    name: 'the partition lets two members go at once',
    file: 'lifecycle/src/partition/next.ts',
    find: '{ partition: ordinal, pod, ...waitsFor(member) }',
    replace: '{ partition: Math.max(0, ordinal - 1), pod, ...waitsFor(member) }',
    breaks: 'I8',
  },
  {
    name: 'the next member is deleted while a canary bakes',
    file: 'lifecycle/src/partition/canaries.ts',
    find: 'const held = { partition: ordinal, pod };',
    replace: 'const held = { partition: Math.max(0, isBaking ? ordinal - 1 : ordinal), pod };',
    breaks: 'I8',
  },
  {
    name: 'there is a canary less than asked for',
    file: 'lifecycle/src/partition/canaries.ts',
    find: 'wantedReplicas - canary.replicas',
    replace: 'wantedReplicas - canary.replicas + 1',
    breaks: 'seed 001: canary',
  },
  {
    name: 'canaries are judged before they have baked',
    file: 'lifecycle/src/partition/canaries.ts',
    find: 'const isBaking = ordinal >= firstCanary(seen) && now < hasBakedAt(member, seen, now);',
    replace: 'const isBaking = ordinal >= firstCanary(seen) && now < member.since;',
    breaks: 'issue 6: bake time',
  },
  {
    name: 'no promotion is needed',
    file: `${kv}/canary.ts`,
    find: 'isPromoted: names(view, promoteAnnotation)',
    replace: 'isPromoted: canary !== undefined || names(view, promoteAnnotation)',
    breaks: 'issue 6: manual promotion',
  },
  {
    name: 'any promotion counts for every upgrade',
    file: 'lifecycle/src/canary/judgement.ts',
    find: 'value !== undefined && (value === revision || (value === version && version !== runs))',
    replace: 'value !== undefined && (value !== revision || version !== undefined)',
    breaks: 'issue 6: manual promotion, I2',
  },
  {
    name: 'the others follow while promotion is awaited',
    file: 'lifecycle/src/partition/canaries.ts',
    find: 'awaitPromotion(canary, { partition: firstCanary(seen) })',
    replace: 'awaitPromotion(canary, { partition: Math.max(0, firstCanary(seen) - 1) })',
    breaks: 'issue 6: manual promotion',
  },
  {
    name: 'silence is a no',
    file: 'lifecycle/src/canary/analysis.ts',
    find: 'if (answer.silent === true) return',
    replace: 'if (answer.silent !== true && answer.ok) return',
    breaks: 'issue 6: analysis',
  },
  {
    name: 'an analysis without an answer shows in no condition',
    file: 'lifecycle/src/rollout/canaries.ts',
    find: 'reply && isSilent ?',
    replace: 'reply && isSilent && reply.ok ?',
    breaks: 'a check without an answer is in a condition and a gauge',
  },
  {
    name: 'the analysis of a member of a cluster that gives no answer is in no condition',
    file: `${kv}/rollout-step.ts`,
    find: 'return failedCheck && { failedCheck, help };',
    replace: 'return failedCheck && undefined;',
    breaks: 'a check without an answer is in a condition and a gauge',
  },
  {
    name: 'an analysis that failed has passed',
    file: 'lifecycle/src/canary/analysis.ts',
    find: "task.state === 'Succeeded' ? 'Passed' : 'Failed'",
    replace: "task.record.result !== undefined ? 'Passed' : 'Failed'",
    breaks: 'seed 001: analysis',
  },
];
