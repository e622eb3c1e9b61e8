import type { Mutation } from './mutation.ts';

/** Mistakes in what holds an object until it is cleaned up. Each has to be found by the tests of every kind. */
export const cleanUpMutations: readonly Mutation[] = [
  {
    name: 'what is being deleted gets a finalizer',
    file: 'lifecycle/src/clean-up/hold.ts',
    find: "isHeld ? 'leaving' : 'released'",
    replace: "isHeld ? 'leaving' : 'new'",
    breaks: 'I25',
  },
  {
    name: 'what is being deleted is not cleaned up',
    file: 'lifecycle/src/clean-up/hold.ts',
    find: "isHeld ? 'leaving' : 'released'",
    replace: "'released'",
    breaks: 'I14',
  },
];

/** Mistakes in what both lifecycle kinds rely on. Each has to be found by the tests of either. */
export const engineMutations: readonly Mutation[] = [
  {
    name: 'errors are retried every six hours',
    file: 'lifecycle/src/error-management/error-management.ts',
    find: 'longestRetryMs = 30 * 60_000',
    replace: 'longestRetryMs = 6 * 60 * 60_000',
    breaks: 'S0.22',
  },
  {
    name: 'each failure has a new beginning',
    file: 'lifecycle/src/error-management/error-management.ts',
    find: 'since: timestamp(began)',
    replace: 'since: timestamp(now)',
    breaks: 'S0.23',
  },
  {
    name: 'whatever fails holds back all that come after it',
    file: 'lifecycle/src/decision/execute.ts',
    find: "isHeldBack ||= action.neededBy !== 'nothing';",
    replace: 'isHeldBack = true;',
    breaks: 'I19',
  },
  {
    name: 'a failure holds back nothing',
    file: 'lifecycle/src/decision/execute.ts',
    find: "if (isHeldBack && action.needs !== 'nothing') continue;",
    replace: '',
    breaks: 'S0.6',
  },
  {
    name: 'a failure puts off deadlines and questions',
    file: 'lifecycle/src/decision/failure.ts',
    find: 'if (lookAgainAt !== undefined) failure.lookAgainAt = lookAgainAt;',
    replace: '',
    breaks: 'I19',
  },
  {
    name: 'conditions get a new time with every reconcile',
    file: 'client/src/condition.ts',
    find: 'previous?.status === finding.status ? previous.lastTransitionTime : timestamp(at.now)',
    replace: 'timestamp(at.now)',
    breaks: 'S0.23',
  },
  {
    name: 'a delete has no precondition',
    file: 'lifecycle/src/decision/execute.ts',
    find: 'const preconditions = { uid: target.uid, ...',
    replace: 'const preconditions = { ...',
    breaks: 'I13',
  },
];
