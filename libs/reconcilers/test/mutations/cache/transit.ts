import type { Mutation } from '../mutation.ts';

const rollout = 'reconcilers/src/rollout';

/** Mistakes with the members of a ClusteredCache that are down, and with upgrades that fail. */
export const transitMutations: readonly Mutation[] = [
  {
    name: 'an upgrade counts as done once the StatefulSet has the template',
    file: `${rollout}/outcome.ts`,
    find: 'return member.revision === seen.revision;',
    replace: 'return member.revision === seen.revision || seen.setIsCurrent;',
    breaks: 'S0.2',
  },
  {
    name: 'a broken and outdated member waits for its gates',
    file: `${rollout}/rollout.ts`,
    find: '  replaceBroken,\n',
    replace: '',
    breaks: 'S0.4, I1',
  },
  {
    name: 'the deadline is looked at last',
    file: `${rollout}/rollout.ts`,
    find: '  giveUp,\n  awaitSet,\n  replaceBroken,\n  releaseEnded,\n  awaitMissing,\n  awaitSync,\n  awaitUnready,\n  awaitLetGo,\n  shrink,\n  stayPaused,\n  takeNextDown,\n',
    replace:
      '  awaitSet,\n  replaceBroken,\n  releaseEnded,\n  awaitMissing,\n  awaitSync,\n  awaitUnready,\n  awaitLetGo,\n  shrink,\n  stayPaused,\n  takeNextDown,\n  giveUp,\n',
    breaks: 'I19',
  },
  {
    name: 'a member is deleted although it has changed since it was seen',
    file: `${rollout}/outcome.ts`,
    find: 'target: member, resourceVersion: member.resourceVersion, because };',
    replace: 'target: member, because };',
    breaks: 'I9',
  },
  {
    name: 'a pod is a member by its name alone',
    file: `${rollout}/member.ts`,
    find: 'if (!ownerReferences.some(({ uid, controller }) => controller === true && uid === setUid)) return undefined;',
    replace: 'if (ownerReferences.length < 0 || setUid === "") return undefined;',
    breaks: 'I13',
  },
  {
    name: 'the next member goes down while one is not ready',
    file: `${rollout}/rollout.ts`,
    find: '  awaitUnready,\n',
    replace: '',
    breaks: 'I8',
  },
  {
    name: 'the next member goes down while one is missing',
    file: `${rollout}/transit.ts`,
    find: 'if (!isMissing(seen)) return undefined;',
    replace: 'return undefined;',
    breaks: 'I8',
  },
  {
    name: 'the next member goes down while the last one has not caught up',
    file: `${rollout}/rollout.ts`,
    find: '  awaitSync,\n',
    replace: '',
    breaks: 'I5, I8',
  },
  {
    name: 'an ended member is let go while its peers are not ready',
    file: `${rollout}/transit.ts`,
    find: '  if (waiting) {',
    replace: '  if (waiting && waiting.terminating) {',
    breaks: 'I6, seed 000: the second gate',
  },
  {
    name: 'an ended member is let go while nobody leads',
    file: `${rollout}/transit.ts`,
    find: 'if (!seen.can.role || serving.length === 0) return letGo',
    replace: 'if (serving.length >= 0) return letGo',
    breaks: 'I6',
  },
  {
    name: 'a failed upgrade keeps its members held',
    file: `${rollout}/deadline.ts`,
    find: "const actions = seen.members.filter(({ held }) => held).map((member) => release(member, 'the upgrade has failed'));",
    replace:
      "const actions = seen.members.filter(() => false).map((member) => release(member, 'the upgrade has failed'));",
    breaks: 'I3',
  },
  {
    name: 'a failed upgrade begins again by itself',
    file: `${rollout}/deadline.ts`,
    find: 'if (!alreadyFailed && now < progress.startedAt + seen.deadlineMs) return undefined;',
    replace: 'if (alreadyFailed || now < progress.startedAt + seen.deadlineMs) return undefined;',
    breaks: 'S0.8',
  },
  {
    name: 'a bypassed gate is not told',
    file: 'reconcilers/src/clustered-cache/custody.ts',
    find: 'if (!pod) return `${hold.pod} went before its gates had let it go`;',
    replace: 'if (!pod) return undefined;',
    breaks: 'seed 000: GateBypassed',
  },
  {
    name: 'the members are replaced although the upgrade is paused',
    file: `${rollout}/rollout.ts`,
    find: '  stayPaused,\n',
    replace: '',
    breaks: 'issue 6: pause',
  },
  {
    name: 'an upgrade does not wait for a member that a drain takes',
    file: `${rollout}/rollout.ts`,
    find: '  awaitLetGo,\n  shrink,\n',
    replace: '  shrink,\n',
    breaks: 'I8',
  },
  {
    name: 'a replacement that lags is forgotten when a third member goes',
    file: `${rollout}/catch-up.ts`,
    find: 'return member || known.length > 0 ? known : [{ ordinal }];',
    replace: 'return member ? known.filter(() => members.every((one) => one.ready)) : [{ ordinal }];',
    breaks: 'I5, I8',
  },
  {
    name: 'who is deleted by somebody else is not awaited',
    file: `${rollout}/catch-up.ts`,
    find: 'if (member?.terminating) return [{ ordinal, podUID: member.uid }];\n    return member || known.length > 0 ? known : [{ ordinal }];',
    replace: 'return member || known.length > 0 ? known : [];',
    breaks: 'I5, I8',
  },
  {
    name: 'the pod that goes says that its replacement has caught up',
    file: `${rollout}/catch-up.ts`,
    find: 'member.uid !== podUID && member.ready',
    replace: 'podUID !== member.name && member.ready',
    breaks: 'I9, I13',
  },
];
