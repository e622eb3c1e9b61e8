import type { Mutation } from '../mutation.ts';

const rollout = 'lifecycle/src/rollout';

/** Mistakes in the canaries of an upgrade. */
export const canaryCacheMutations: readonly Mutation[] = [
  {
    name: 'the others follow a canary that was not judged',
    file: `${rollout}/canaries.ts`,
    find: "hasPassed = (member: Member, { judgements }: CanaryPolicy): boolean => judgementOf(judgements, member)?.result === 'Passed'",
    replace:
      "hasPassed = (member: Member, { judgements }: CanaryPolicy): boolean => judgementOf(judgements, member)?.result !== 'Failed'",
    breaks: 'S0.9',
  },
  {
    name: 'the judgements of an upgrade that has failed count when it is asked for again',
    file: 'reconcilers/src/upgrade/canary.ts',
    find: "upgrade?.revision === progress.revision && (upgrade.step !== 'Failed' || progress.step === 'Failed')",
    replace: 'upgrade?.revision === progress.revision',
    breaks: 'S0.9',
  },
  {
    name: 'an upgrade is complete before its last member was judged',
    file: `${rollout}/deadline.ts`,
    find: 'settled && areJudged(seen) && seen.members.length',
    replace: 'settled && seen.members.length',
    breaks: 'S0.9',
  },
  {
    name: 'a broken member of before is replaced while a canary is judged',
    file: `${rollout}/transit.ts`,
    find: '|| !mayFollow(seen) || isMissingBefore(broken, seen)',
    replace: '|| isMissingBefore(broken, seen)',
    breaks: 'S0.3, S0.9',
  },
  {
    name: 'the deadline runs while canaries bake or wait for a user',
    file: `${rollout}/deadline.ts`,
    find: 'progress.isSuspended === true || isWaiting(progress) ?',
    replace: 'progress.isSuspended === true ?',
    breaks: 'I20',
  },
  {
    name: 'time that canaries have waited counts against the deadline when one falls back',
    file: `${rollout}/advance.ts`,
    find: 'atTheLatest(lastProgressAt + Math.max(0, now - since), now);',
    replace: 'atTheLatest(lastProgressAt + Math.max(0, since - now), now);',
    breaks: 'I19, I20',
  },
  {
    name: 'a canary that flaps while it waits never meets the deadline',
    file: `${rollout}/advance.ts`,
    find: 'return isWaiting({ step }) || fallenBack.has(step) ? afterWaiting',
    replace: 'return isWaiting({ step }) ? afterWaiting',
    breaks: 'I19',
  },
  {
    name: 'canaries need no promotion',
    file: 'reconcilers/src/upgrade/canary.ts',
    find: 'isPromoted: names(object, promoteAnnotation, upgrade)',
    replace: 'isPromoted: canary !== undefined || names(object, promoteAnnotation, upgrade)',
    breaks: 'issue 27: canary',
  },
  {
    name: 'the promotion of another version promotes canaries',
    file: 'reconcilers/src/upgrade/canary.ts',
    find: 'return namesUpgrade(metadata.annotations?.[annotation], aim);',
    replace: 'return namesUpgrade(metadata.annotations?.[annotation] && aim.revision, aim);',
    breaks: 'issue 27: canary',
  },
  {
    name: 'members that go back to what ran are judged as canaries',
    file: 'reconcilers/src/upgrade/canary.ts',
    find: 'if (!progress || wanted.rollingBack || ran === undefined || ran === wanted.revision) return {};',
    replace: 'if (!progress || ran === undefined) return {};',
    breaks: 'issue 27: canary',
  },
  {
    name: 'canaries keep the set from becoming smaller',
    file: `${rollout}/canaries.ts`,
    find: 'seen.replicas > seen.wantedReplicas || (seen.paused',
    replace: 'seen.replicas < seen.wantedReplicas || (seen.paused',
    breaks: 'issue 27: canary',
  },
  {
    name: 'a canary is judged before it has caught up',
    file: `${rollout}/canaries.ts`,
    find: 'found.lags.some(({ question: { of } }) => isCurrent(of, seen)) ? undefined : awaitCanaries(seen, now)',
    replace: 'awaitCanaries(seen, now)',
    breaks: 'I5, I8',
  },
];
