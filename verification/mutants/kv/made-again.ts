import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes with a StatefulSet that is made again, and with members that have gone ahead of the others. */
export const madeAgainMutations: readonly Mutation[] = [
  {
    name: 'a StatefulSet that is missing is made as the spec asks at once',
    file: `${kv}/rollout-step.ts`,
    find: "if (view.previous === '' || view.previous === view.wanted) return made;",
    replace: 'if (view.previous !== undefined) return made;',
    breaks: 'S0.9',
  },
  {
    name: 'what has failed and stands is brought to all when the StatefulSet is deleted',
    file: `${kv}/rollout-step.ts`,
    find: 'if (seen.statefulSet === undefined || isNew(seen.statefulSet)) return remade(seen, view);',
    replace: 'if (seen.statefulSet === undefined) return { ...left, template: undefined, partition: 0, replace: [] };',
    breaks: 'S0.8',
  },
  {
    name: 'another version forgets who had gone ahead',
    file: 'lifecycle/src/partition/ahead.ts',
    find: 'revision !== held && revision !==',
    replace: 'revision === held && revision !==',
    breaks: 'I30',
  },
  {
    name: 'a member that was released and is seen as it was before counts as one that was not released',
    file: 'lifecycle/src/partition/ahead.ts',
    find: 'set.heldReplicas === heldNow.length',
    replace: 'heldNow.length >= 0',
    breaks: 'I30',
  },
  {
    name: 'a StatefulSet that its controller has yet to look at counts as it was before',
    file: 'lifecycle/src/partition/ahead.ts',
    find: 'status?.observedGeneration === metadata.generation ? (status?.currentReplicas ?? 0) : undefined',
    replace: 'status?.observedGeneration === undefined ? undefined : (status.currentReplicas ?? 0)',
    breaks: 'I30',
  },
  {
    name: 'members that are seen as they were two templates ago let the others follow a canary',
    file: 'lifecycle/src/partition/ahead.ts',
    find: '!(hasNoThird && revision !== applied)',
    replace: '!(hasNoThird && revision === undefined)',
    breaks: 'I2, S0.3',
  },
  {
    name: 'who had gone ahead is forgotten when another version is asked for',
    file: `${kv}/upgrade.ts`,
    find: '...(record?.partition === undefined ? {} : { partition: record.partition }),',
    replace: '',
    breaks: 'I30',
  },
  {
    name: 'a StatefulSet that is made again makes members that had gone ahead as they were before',
    file: `${kv}/rollout-step.ts`,
    find: '...(ahead === everyMember || isThere ? {} : { atMost: ahead }),',
    replace: '',
    breaks: 'I30',
  },
  {
    name: 'neither the deadline nor an abort is heard while the StatefulSet is lost',
    file: `${kv}/rollout-step.ts`,
    find: 'if (hasFailed(seen)) return goingBack(seen, view, afterFailure(seen, view), at);',
    replace:
      'if (hasFailed(seen)) return goingBack(seen, view, afterFailure(seen, view), at);\n  if (seen.statefulSet === undefined) return remade(seen, view);',
    breaks: 'I19',
  },
  {
    name: 'a StatefulSet that no controller has seen gets the new template',
    file: `${kv}/rollout-step.ts`,
    find: "(set?.status?.currentRevision ?? '') === ''",
    replace: "set?.status?.currentRevision === 'never'",
    breaks: 'S0.3',
  },
  {
    name: 'members that a StatefulSet has left behind do not wait for the Job',
    file: `${kv}/scale.ts`,
    find: '?? Math.max(replicas, ...left(seen))',
    replace: '?? replicas',
    breaks: 'issue 6: scaleDown.before',
  },
  {
    name: 'the way back is looked for in the history of a StatefulSet that is there alone',
    file: 'reconcilers/src/kv-store-cluster/history.ts',
    find: '[...owned, ...left]',
    replace: 'owned',
    breaks: 'S0.7, S0.8',
  },
  {
    name: 'the history that a StatefulSet has left counts only when it is seen without an owner',
    file: 'reconcilers/src/kv-store-cluster/history.ts',
    find: 'isHistoryOf(name, controllerOf(one))',
    replace: 'controllerOf(one) === undefined',
    breaks: 'S0.8',
  },
  {
    name: 'a claim that a StatefulSet has left behind without its member goes without the Job before it',
    file: 'reconcilers/src/kv-store-cluster/scale.ts',
    find: '...(hasRun ? [shrinkingFrom, ...ofReduction(cluster), ...ofClaims(seen)] : [])',
    replace: '...(hasRun ? [shrinkingFrom] : [])',
    breaks: 'I13, scaleDown.before',
  },
  {
    name: 'a member made from a template that another client had changed counts as current',
    file: 'lifecycle/src/rollout/members.ts',
    find: 'if (!fits(statefulSet, members)) return members;',
    replace: 'if (members.length >= 0) return members;',
    breaks: 'S0.10, I1',
  },
  {
    name: 'the way back is the newest template in the history that says the hash, also one that another client had changed',
    file: 'reconcilers/src/kv-store-cluster/history.ts',
    find: 'ranks.find(({ template }) => isOfVersion(template, currentVersion)) ?? ranks[0]',
    replace: 'ranks.at(-1)',
    breaks: 'S0.7',
  },
];
