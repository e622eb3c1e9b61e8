import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

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
    name: 'a Job that can not be made holds up everything',
    file: 'reconcilers/src/kv-store-cluster/decide.ts',
    find: "({ ...action, neededBy: 'nothing' })",
    replace: '({ ...action })',
    breaks: 'I19',
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
  {
    name: 'a Job that writes begins beside another one of its purpose',
    file: `${kv}/exclusive-jobs.ts`,
    find: 'if (others.length === 0 || ',
    replace: 'if (others.length >= 0 || ',
    breaks: 'I16',
  },
  {
    name: 'members start beside a restore whose Job was deleted without its pod',
    file: `${kv}/exclusive-jobs.ts`,
    find: 'return [...others, ...theirs].map',
    replace: 'return others.map',
    breaks: 'I16',
  },
  {
    name: 'a Job that nothing waits for any more goes on',
    file: `${kv}/exclusive-jobs.ts`,
    find: '!isAwaited(seen, job, awaited),',
    replace: '!isAwaited(seen, job, awaited) && seen.cluster === undefined,',
    breaks: 'a Job of an upgrade that was aborted does not migrate what runs',
  },
  {
    name: 'the Job before an upgrade ends because that is paused',
    file: `${kv}/exclusive-jobs.ts`,
    find: 'return isWanted && job.',
    replace: 'return !isWanted && job.',
    breaks: 'issue 6: hooks',
  },
  {
    name: 'any change of the spec begins the Job before a reduction anew',
    file: `${kv}/scale.ts`,
    find: 'record && record.spent !== true && isSame && !isTriedAgain',
    replace: 'record && record.spent !== true && isSame && !isTriedAgain && record.subject.includes(`@${generation}#`)',
    breaks: 'issue 6: scaleDown.before',
  },
  {
    name: 'what was restored is restored once more when the spec asks for something else',
    file: `${kv}/backup.ts`,
    find: 'subject: restored(seen, now) ?? hashOf([restoreFrom, replicas]),',
    replace: 'subject: hashOf([restoreFrom, replicas]),',
    breaks: 'I21: data is never overwritten',
  },
  {
    name: 'a restore begins beside members that have lost their StatefulSet',
    file: `${kv}/backup.ts`,
    find: ' || pods.some(holds);',
    replace: ' || pods.filter(holds).length < 0;',
    breaks: 'I21: data is never overwritten',
  },
  {
    name: 'a restore begins beside what is not seen yet',
    file: `${kv}/reconcile.ts`,
    find: 'isFinal(planned, seen) || beginsAlone(planned, seen) ||',
    replace: 'isFinal(planned, seen) ||',
    breaks: 'I9, I16',
  },
];
