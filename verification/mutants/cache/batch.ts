import type { Mutation } from '../mutation.ts';

const rollout = 'lifecycle/src/rollout';

/** Mistakes where several members may be unavailable at a time. */
export const batchMutations: readonly Mutation[] = [
  {
    name: 'members that are down do not count against those that may go',
    file: `${rollout}/batch.ts`,
    find: '(seen.maxUnavailable ?? 1) - found.unavailable.length',
    replace: 'seen.maxUnavailable ?? 1',
    breaks: 'I8',
  },
  {
    name: 'one more member goes than may be unavailable',
    file: `${rollout}/batch.ts`,
    find: '(seen.maxUnavailable ?? 1) - found.unavailable.length',
    replace: '(seen.maxUnavailable ?? 1) + 1 - found.unavailable.length',
    breaks: 'I8',
  },
  {
    name: 'a member that is not there does not count as unavailable',
    file: `${rollout}/unavailable.ts`,
    find: "if (!member) return [{ ordinal, step: 'AwaitingReplacement', ...isAlone(ordinal, seen) }];",
    replace: 'if (!member) return [];',
    breaks: 'I8',
  },
  {
    name: 'a member that starts does not count as unavailable',
    file: `${rollout}/unavailable.ts`,
    find: 'if (!member.ready)',
    replace: 'if (!member.ready && member.held)',
    breaks: 'I8',
  },
  {
    name: 'a leader goes beside others',
    file: `${rollout}/batch.ts`,
    find: 'ok || unknown === true ? [] : [of.uid]',
    replace: 'ok && unknown === true ? [] : [of.uid]',
    breaks: 'I5',
  },
  {
    name: 'others go beside a leader that is not back',
    file: `${rollout}/batch.ts`,
    find: ' || found.unavailable.some(({ alone }) => alone)',
    replace: '',
    breaks: 'I5',
  },
  {
    name: 'gates are not asked where several members go',
    file: `${rollout}/batch.ts`,
    find: 'verdict: gatesOf(member, serving, now)',
    replace: 'verdict: gatesOf(member, { ...serving, gates: [] }, now)',
    breaks: 'S0.1',
  },
  {
    name: 'canaries go beside each other',
    file: `${rollout}/batch.ts`,
    find: ' || !areCanariesDone(seen)',
    replace: '',
    breaks: 'S0.9',
  },
  {
    name: 'members that have ended wait for each other',
    file: `${rollout}/transit.ts`,
    find: '!ready && !(terminating && held)',
    replace: '!ready && (terminating || !held)',
    breaks: 'I2, I3',
  },
  {
    name: 'where several may be unavailable a drain takes one more',
    file: 'lifecycle/src/disruption/beside.ts',
    find: 'if (down.length >= maxUnavailable) {',
    replace: 'if (down.length > maxUnavailable) {',
    breaks: 'I8',
  },
];
