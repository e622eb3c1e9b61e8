import type { Mutation } from '../mutation.ts';

/** Mistakes in what a ClusteredCache asks of its members, and how long an answer counts. */
export const questionMutations: readonly Mutation[] = [
  {
    name: 'a check without an answer shows in no condition',
    file: 'lifecycle/src/rollout/failed-check.ts',
    find: 'const hasFailed = silent === true || unknown === true || unusable === true;',
    replace: 'const hasFailed = false;',
    breaks: 'issue 26: every failure is visible',
  },
  {
    name: 'the Job of a gate that has failed shows in no condition',
    file: 'lifecycle/src/rollout/failed-check.ts',
    find: "if (job === 'failed') return",
    replace: "if (job === 'failed' && message === '') return",
    breaks: 'issue 26: every failure is visible',
  },
  {
    name: 'a check that can’t be run is counted by no gauge',
    file: 'reconcilers/src/upgrade-gauges.ts',
    find: "['check_failed', conditionOf(status?.conditions, checkFailed)?.status === 'True'],",
    replace: "['check_failed', conditionOf(status?.conditions, checkFailed)?.status === 'Unknown'],",
    breaks: 'issue 26: every failure is visible',
  },
  {
    name: 'while the Job of a gate is run anew its failure shows no more',
    file: 'lifecycle/src/rollout/with-failed-check.ts',
    find: "const stays = isCheckPending && reported?.status === 'True' ? [reported] : [];",
    replace: "const stays = isCheckPending && reported?.status === 'Unknown' ? [reported] : [];",
    breaks: 'issue 26: every failure is visible',
  },
  {
    name: 'a wait from the future lasts until the clock has caught up',
    file: 'lifecycle/src/decision/elapsed.ts',
    find: 'now >= since + waitMs || since > now + waitMs',
    replace: 'now >= since + waitMs',
    breaks: 'I1',
  },
  {
    name: 'the Job of a gate answers for ever',
    file: 'lifecycle/src/health-check/job-gate.ts',
    find: "return age < jobAnswerLifeMs ? { ok: true, message: `the Job ${name} has completed`, next: 'leave' } : { ...pending, message: `the Job ${name} completed too long ago`, next: 'replace' };",
    replace:
      "return age >= 0 ? { ok: true, message: `the Job ${name} has completed`, next: 'leave' } : { ...pending, message: `the Job ${name} completed too long ago`, next: 'replace' };",
    breaks: 'I9',
  },
  {
    name: 'an unreachable member counts as a yes',
    file: 'lifecycle/src/health-check/ask.ts',
    find: '{ ok: false, message: `no answer: ${why}`, silent: true }',
    replace: '{ ok: true, message: `no answer: ${why}`, silent: true }',
    breaks: 'S0.1, I5',
  },
  {
    name: 'drift of the StatefulSet stays',
    file: 'lifecycle/src/decision/drift.ts',
    find: 'if (!isRecord(wanted)) return [];',
    replace: "if (!isRecord(wanted)) return field === 'replicas' ? undefined : [];",
    breaks: 'issue 6: drift put back',
  },
  {
    name: 'the age of a Job is measured by two clocks',
    file: 'lifecycle/src/health-check/job-gate.ts',
    find: 'instantOf(metadata.annotations?.[askedAtAnnotation]) ?? created',
    replace: 'created',
    breaks: 'I1, I9',
  },
];
