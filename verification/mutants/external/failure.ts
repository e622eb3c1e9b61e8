import type { Mutation } from '../mutation.ts';

const database = 'reconcilers/src/cloud-database';

/** Mistakes by which a provider that can't be asked is not reported. */
export const failureMutations: readonly Mutation[] = [
  {
    name: 'a failure is over as soon as the next try is announced',
    file: `${database}/failure.ts`,
    find: "return { reason: before.reason, message: before.message, synced: 'False', ready: 'Unknown', retry };",
    replace: "return retry === 'terminal' ? externalStatus : { ...externalStatus };",
    breaks: 'seed 004: errors are shown',
  },
  {
    name: 'a call that fails has no event',
    file: `${database}/reconcile.ts`,
    find: "if (event && outcome.error?.code !== 'RateLimited')",
    replace: 'if (event && outcome.error === undefined)',
    breaks: 'seed 004: errors are shown',
  },
  {
    name: 'a look that fails has no event',
    file: `${database}/failure.ts`,
    find: 'if (!isFailure(externalStatus.reason)) return [];',
    replace: "if (externalStatus.reason !== 'Failed') return [];",
    breaks: 'seed 004: errors are shown',
  },
  {
    name: 'what the API server refuses is shown until the next call is announced',
    file: `${database}/failure.ts`,
    find: "if (reason === 'Refused') return calls.length > 0;",
    replace: "if (reason === 'Refused') return calls.length < 0;",
    breaks: 'seed 004: errors are shown',
  },
  {
    name: 'a provider that can not be asked is no error',
    file: `${database}/state.ts`,
    find: "reason === 'CallFailed' ? 'False' : synced",
    replace: "reason === 'Failed' ? 'False' : synced",
    breaks: 'seed 004: errors are shown',
  },
  {
    name: 'a write of a database that the API server refuses has no event',
    file: `${database}/reconcile.ts`,
    find: 'if (event) events.publish({ ...event, regarding: database });',
    replace: "if (event && database.metadata.name === '') events.publish({ ...event, regarding: database });",
    breaks: 'every failure is visible',
  },
  {
    name: 'a StatefulSet that the API server refuses is tried again without a word',
    file: 'reconcilers/src/monitored-stateful-set/decide.ts',
    find: "return decideBlocked(seen, { reason: 'Refused', message }, now);",
    replace: 'return { actions: [] };',
    breaks: 'every failure is visible',
  },
];
