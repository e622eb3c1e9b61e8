import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';
const rollout = 'lifecycle/src/rollout';
const partition = 'lifecycle/src/partition';

/** Mistakes in how a KVStoreCluster asks its members before the partition lets them go. */
export const gateMutations: readonly Mutation[] = [
  {
    name: 'members are released without being asked',
    file: `${partition}/release.ts`,
    find: 'return { ...asIntended, ...judge({ ...asked, candidates, highest }, now) };',
    replace: 'return asIntended;',
    breaks: 'S0.1, I5',
  },
  {
    name: 'whose gate is closed is released, and only the next one is held',
    file: `${partition}/hold.ts`,
    find: 'Math.max(ordinal + 1, released)',
    replace: 'Math.max(ordinal, released === everyMember ? ordinal : released)',
    breaks: 'S0.1',
  },
  {
    name: 'all members that a strategy would release go when the gates of the first are open',
    file: `${partition}/release.ts`,
    find: 'Math.max(intended.partition, isAlone(asked) ? member.ordinal : 0)',
    replace: 'intended.partition',
    breaks: 'I8',
  },
  {
    name: 'a replacement that has not caught up is forgotten',
    file: `${rollout}/remembered.ts`,
    find: 'const catchingUp = upgrade?.catchingUp ?? status.catchingUp; return {',
    replace: 'const catchingUp = status.catchingUp; return {',
    breaks: 'I5',
  },
  {
    name: 'members that go back after a failure are not asked',
    file: `${kv}/rollout-step.ts`,
    find: 'const aim = { view, revision, given: step.partition };',
    replace: 'if (step.partition === 0) return step; const aim = { view, revision, given: step.partition };',
    breaks: 'S0.1, I5',
  },
  {
    name: 'the StatefulSet shrinks at once',
    file: `${kv}/scale.ts`,
    find: 'const shrunk = shrinkStore(seen, now); if (!shrunk) return step;',
    replace: 'const shrunk = shrinkStore(seen, now); if (step.replicas > 0 || !shrunk) return step;',
    breaks: 'S0.1, I8',
  },
  {
    name: 'a StatefulSet that another client makes smaller before the gates of its members are open stays so',
    file: `${kv}/scale.ts`,
    find: 'if (larger) return { ...step, ...larger };',
    replace: 'if (larger) return step;',
    breaks: 'issue 26: row 8, I13',
  },
  {
    name: 'the next one goes while one that was released still serves',
    file: `${kv}/rollout-observation.ts`,
    find: 'const reserved = members.find((member) => isReleased(member, seen))?.uid ?? seen.reserved;',
    replace: 'const reserved = seen.reserved;',
    breaks: 'I4, I8',
  },
  {
    name: 'what came of the checks of a store reaches no condition',
    file: `${kv}/decide.ts`,
    find: 'const checked = { result: upgrade.check ?? scale.check, before: seen.cluster.status?.conditions };',
    replace: 'const checked = { result: undefined, before: seen.cluster.status?.conditions };',
    breaks: 'issue 26: every failure is visible',
  },
  {
    name: 'whose replacement has not caught up is forgotten when the StatefulSet of a store is made again',
    file: `${kv}/decide.ts`,
    find: 'const known = upgrade.remembered ?? rememberedIn(seen.cluster.status);',
    replace: 'const known = upgrade.remembered;',
    breaks: 'I5',
  },
];
