import type { Mutation } from '../mutation.ts';

const cache = 'reconcilers/src/clustered-cache';
const rollout = 'lifecycle/src/rollout';

/** Defects of ClusteredCache that were found by using it by hand, put back. */
export const byHandCacheMutations: readonly Mutation[] = [
  {
    name: 'a child that is refused below members that serve shows in no condition',
    file: 'lifecycle/src/decision/execute.ts',
    find: 'const shown = withFailureCondition(wanted); if (!this.options.seal)',
    replace: 'const shown = wanted; if (!this.options.seal)',
    breaks: 'issue 26: every failed reconcile is visible',
  },
  {
    name: 'a failed upgrade does not say what the gate has answered last',
    file: 'reconcilers/src/upgrade/progress.ts',
    find: '    ...(blockedBy === undefined ? {} : { blockedBy }),\n  };\n}\n\ninterface Upgraded',
    replace: '  };\n}\n\ninterface Upgraded',
    breaks: 'issue 26 row 12',
  },
  {
    name: 'a member that is not ready does not say why',
    file: `${rollout}/transit.ts`,
    find: '...(first.cause === undefined ? {} : { blockedBy: `${first.name}: ${first.cause}` }),',
    replace: '',
    breaks: 'issue 26 row 12',
  },
  {
    name: 'the text about an image that can’t be pulled changes with each try',
    file: `${rollout}/unready.ts`,
    find: "new Set(['ErrImagePull', 'ImagePullBackOff'])",
    replace: "new Set(['none'])",
    breaks: 'issue 26 row 12',
  },
  {
    name: 'a member that is lost after a failed upgrade has stopped comes back as what has failed',
    file: 'reconcilers/src/upgrade/version.ts',
    find: 'const made = before ?? (isHookDone(object, specRevision) ? asked : heldBack(object, versions));',
    replace: 'const made = wanted;',
    breaks: 'issue 26 row 2',
  },
  {
    name: 'what ran before is put back only where members are brought back to it',
    file: 'reconcilers/src/upgrade/version.ts',
    find: 'const way = failed ? wayBack(object, versions) : undefined;\n  const before',
    replace:
      'const way = failed && isReturning(object, specRevision) ? wayBack(object, versions) : undefined;\n  const before',
    breaks: 'issue 26 row 2',
  },
  {
    name: 'what has just failed is brought to the StatefulSet once more, and members that go come back as it',
    file: `${cache}/decide.ts`,
    find: "outcome?.step === 'Failed' && !wanted.failed;",
    replace: "outcome?.step === 'Failed' && wanted.failed;",
    breaks: 'S0.8, issue 26 row 2',
  },
  {
    name: 'a member that has handed over and leads all the same does not say what holds it up',
    file: `${rollout}/next.ts`,
    find: 'lookAgainAt: again ? now + checkIntervalMs : now, ...still,',
    replace: 'lookAgainAt: again ? now + checkIntervalMs : now,',
    breaks: 'issue 26 row 5',
  },
  {
    name: 'a member whose gates were opened by hand keeps its name to the deadline where no other member leads',
    file: `${rollout}/transit.ts`,
    find: '(isUnknown || isOver(ended.since, brokenAfterMs, now))',
    replace: 'isUnknown',
    breaks: 'issue 26 row 5',
  },
  {
    name: 'a check that could not be run is asked again as soon as one that said no',
    file: `${rollout}/outcome.ts`,
    find: 'no.unknown || no.silent ? maxAfterFailureMs : afterNoMs',
    replace: 'no.unknown && no.silent ? maxAfterFailureMs : afterNoMs',
    breaks: 'issue 26 row 19',
  },
  {
    name: 'a closed gate is asked again after the longest pause only',
    file: `${rollout}/ask-again.ts`,
    find: 'while (pauseMs < maxMs && waitedMs >= until)',
    replace: 'while (pauseMs < maxMs)',
    breaks: 'issue 26 row 19',
  },
  {
    name: 'a retry is no upgrade that starts',
    file: 'reconcilers/src/upgrade/events.ts',
    find: " || (before.upgrade.step === 'Failed' && step !== 'Failed');",
    replace: ';',
    breaks: 'issue 26 row 18',
  },
  {
    name: 'more members are ready than there are, while a set shrinks',
    file: `${cache}/conditions.ts`,
    find: 'present: rollout.members.length, wanted',
    replace: 'present: 0, wanted',
    breaks: 'issue 26 row 18',
  },
];
