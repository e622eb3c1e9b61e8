import type { Mutation } from '../mutation.ts';

/** Mistakes in what a ClusteredCache asks of its members, and how long an answer counts. */
export const questionMutations: readonly Mutation[] = [
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
    find: "return age < jobAnswerLifeMs ? { ok: true, message: `the Job ${name} has completed`, next: 'leave' } : { ok: false, message: `the Job ${name} completed too long ago`, next: 'replace' };",
    replace:
      "return age >= 0 ? { ok: true, message: `the Job ${name} has completed`, next: 'leave' } : { ok: false, message: `the Job ${name} completed too long ago`, next: 'replace' };",
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
