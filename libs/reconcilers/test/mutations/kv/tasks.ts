import type { Mutation } from '../mutation.ts';

/** Mistakes in the Jobs that a KVStoreCluster waits for. */
export const taskMutations: readonly Mutation[] = [
  {
    name: 'only a new generation wakes a controller',
    file: 'runtime/src/predicate/predicate.ts',
    find: '  generationChanged,\n  annotationsChanged,\n  finalizersChanged,\n  deletionRequested,\n',
    replace: '  generationChanged,\n',
    breaks: 'S0.21',
  },
  {
    name: 'a hook of an earlier upgrade counts for this one',
    file: 'reconcilers/src/task/run.ts',
    find: 'const earlier = seen.record?.subject === wanted.subject ? seen.record : undefined;',
    replace: 'const earlier = seen.record;',
    breaks: 'issue 6: hooks',
  },
  {
    name: 'a failed Job is run again at once',
    file: 'reconcilers/src/task/run.ts',
    find: 'if (!isOver(finishedAt, delay, now))',
    replace: 'if (!isOver(finishedAt, 0, now))',
    breaks: 'seed 004: back-off',
  },
  {
    name: 'the result of a Job is forgotten when the Job is gone',
    file: 'reconcilers/src/task/run.ts',
    find: "if (earlier?.result === 'Succeeded') return {",
    replace: "if (earlier?.result === 'Succeeded' && seen.job) return {",
    breaks: 'I14',
  },
  {
    name: 'a secret stands in the status',
    file: 'reconcilers/src/task/output.ts',
    find: 'const clean = secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), output);',
    replace: 'const clean = secrets.length > 0 ? output : "";',
    breaks: 'issue 6: without secrets',
  },
  {
    name: 'the pause after a failure is told by two clocks',
    file: 'reconcilers/src/task/run.ts',
    find: "state.state === 'Failed' ? { ...state, at: now } : state",
    replace: 'state',
    breaks: 'S0.22',
  },
];
