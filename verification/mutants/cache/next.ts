import type { Mutation } from '../mutation.ts';

const rollout = 'lifecycle/src/rollout';

/** Mistakes in choosing the member of a ClusteredCache that goes down next. */
export const nextMutations: readonly Mutation[] = [
  {
    name: 'members go down without their gates being asked',
    file: `${rollout}/next.ts`,
    find: "gatesOf(next, seen, now) ?? proceed('TakingDown', `replacing ${next.name}`, { ...{ member: next, alone: true }, actions: [...freed, takeDown(next, 'every gate is open')] })",
    replace:
      "undefined ?? proceed('TakingDown', `replacing ${next.name}`, { ...{ member: next, alone: true }, actions: [...freed, takeDown(next, 'every gate is open')] })",
    breaks: 'S0.1',
  },
  {
    name: 'the hand-off of one member counts for the next',
    file: `${rollout}/next.ts`,
    find: 'const again = seen.handedOff === candidate.uid;',
    replace: 'const again = seen.handedOff !== undefined;',
    breaks: 'seed 000: hand-off',
  },
  {
    name: 'a hand-off counts although the member leads again',
    file: `${rollout}/next.ts`,
    find: 'if (!seen.can.role || seen.members.length < 2) return undefined;',
    replace: 'return undefined;',
    breaks: 'I5',
  },
  {
    name: 'gates opened for one member are open for all',
    file: `${rollout}/next.ts`,
    find: 'if (isOpened(candidate, seen)) return undefined;',
    replace: 'if (seen.openedFor?.length) return undefined;',
    breaks: 'I13',
  },
  {
    name: 'gates that are opened by hand are of no use where no member says who leads',
    file: `${rollout}/next.ts`,
    find: 'return opened ?? blocked(',
    replace: 'return (undefined as typeof opened) ?? blocked(',
    breaks: 'S0.2',
  },
  {
    name: 'a member whose gates were opened by hand keeps its name where no member says who leads',
    file: `${rollout}/transit.ts`,
    find: 'const isDecided = isOpened(ended, seen);',
    replace: 'const isDecided = isOpened({ uid: ended.name }, seen);',
    breaks: 'S0.2',
  },
  {
    name: 'a member whose gates were opened by hand comes back before another one leads',
    file: `${rollout}/transit.ts`,
    find: 'if (isDecided && (isUnknown || isOver(ended.since, brokenAfterMs, now)))',
    replace: 'if (isDecided)',
    breaks: 'I6',
  },
  {
    name: 'the gate of the peers is asked of the member itself',
    file: `${rollout}/next.ts`,
    find: 'Once: [candidate], Peers: peers,',
    replace: 'Once: [candidate], Peers: [candidate],',
    breaks: 'seed 000: gates of peers',
  },
  {
    name: 'one open gate is enough',
    file: `${rollout}/next.ts`,
    find: 'const no = gates.answers.find(({ ok }) => !ok);\n  if (!no) return undefined;',
    replace:
      'const no = gates.answers.find(({ ok }) => !ok);\n  if (!no || gates.answers.some(({ ok }) => ok)) return undefined;',
    breaks: 'seed 000: every gate',
  },
  {
    name: 'a leader goes down although no member has its data',
    file: `${rollout}/next.ts`,
    find: 'if (syncs.answers.some(({ ok }) => ok) || !no) return undefined;',
    replace: 'if (syncs.answers.length > 0 || !no) return undefined;',
    breaks: 'I5',
  },
  {
    name: 'the leader goes down first',
    file: `${rollout}/next.ts`,
    find: 'const follower = roles.answers.find(({ ok, unknown }) => !ok && !unknown); if (follower) return follower.question.of;',
    replace: 'const follower = roles.answers.find(({ ok }) => ok); if (follower) return follower.question.of;',
    breaks: 'seed 000: leader last',
  },
  {
    name: 'the lowest ordinal goes down first',
    file: `${rollout}/next.ts`,
    find: 'b.ordinal - a.ordinal',
    replace: 'a.ordinal - b.ordinal',
    breaks: 'seed 000: reverse ordinal',
  },
  {
    name: 'the cache shrinks by several members at once',
    file: `${rollout}/next.ts`,
    find: 'replicas: seen.replicas - 1 })',
    replace: 'replicas: seen.wantedReplicas })',
    breaks: 'I8',
  },
  {
    name: 'members that leave for good go without gates',
    file: `${rollout}/next.ts`,
    find: "gatesOf(last, seen, now) ?? proceed('TakingDown', `${last.name} leaves for good`, { member: last, replicas: seen.replicas - 1 })",
    replace:
      "undefined ?? proceed('TakingDown', `${last.name} leaves for good`, { member: last, replicas: seen.replicas - 1 })",
    breaks: 'S0.1',
  },
];
