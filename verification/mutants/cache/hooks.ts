import type { Mutation } from '../mutation.ts';

const cache = 'reconcilers/src/clustered-cache';
const rollout = 'lifecycle/src/rollout';

/** Mistakes in the Job before the first member of an upgrade. */
export const hookCacheMutations: readonly Mutation[] = [
  {
    name: 'members are made of the new version while the Job before the first one runs',
    file: 'reconcilers/src/upgrade/hook-record.ts',
    find: "hookRecord(cache, revision)?.result === 'Succeeded'",
    replace: 'hookRecord(cache, revision) !== undefined',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'a member goes as soon as the Job before the first one has succeeded, and that is not on record yet',
    file: `${rollout}/before-first-pod.ts`,
    find: 'if (!hook || seen.paused || areAllCurrent(seen)',
    replace: "if (!hook || hook.state === 'Succeeded' || seen.paused || areAllCurrent(seen)",
    breaks: 'issue 27: hooks',
  },
  {
    name: 'the Job before the first member begins although the upgrade is paused',
    file: `${rollout}/before-first-pod.ts`,
    find: 'if (!hook || seen.paused || ',
    replace: 'if (!hook || ',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'a member that has ended stays held while the Job before the first one runs',
    file: `${rollout}/before-first-pod.ts`,
    find: 'if (ended) return ended;',
    replace: '',
    breaks: 'I3',
  },
  {
    name: 'a Job before the first member that was mended has nothing tried again',
    file: 'reconcilers/src/upgrade/version.ts',
    find: ' && !isMended(object, specRevision)',
    replace: '',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'a Job runs before the members go back to what they ran',
    file: 'reconcilers/src/upgrade/hook-record.ts',
    find: ' && ran !== undefined && ran !== revision',
    replace: ' && ran !== undefined',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'the Job of the version before counts for the next one',
    file: 'reconcilers/src/upgrade/hook-record.ts',
    find: "record?.subject.startsWith(hookSubject(revision, '')) ? record : undefined",
    replace: 'record',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'the Job before the first member takes the time of that member',
    file: `${rollout}/advance.ts`,
    find: "hook === undefined && step !== 'Failed' ? now : lastProgressAt;",
    replace: "hook === undefined && step === 'Failed' ? now : lastProgressAt;",
    breaks: 'I19',
  },
  {
    name: 'Jobs that have ended stay for ever',
    file: `${cache}/jobs.ts`,
    find: '!records.some((record) => record.job === job.metadata.name)',
    replace: '!records.some((record) => record.job !== "")',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'a Job of a cache that has failed shows in no metric',
    file: 'reconcilers/src/upgrade/metrics.ts',
    find: 'hasFailed: failed.includes(hook)',
    replace: 'hasFailed: false',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'why an upgrade has failed is not remembered',
    file: 'reconcilers/src/upgrade/record.ts',
    find: 'failure: failureOf(findings, failsNow, failedRevision),',
    replace: 'failure: undefined,',
    breaks: 'issue 27: hooks',
  },
  {
    name: 'a member that is lost while the Job of a third version is awaited comes back as the first one',
    file: 'reconcilers/src/upgrade/version.ts',
    find: 'const isBehind = running === undefined || running.revision === object.status?.currentRevision;',
    replace: 'const isBehind = true as boolean;',
    breaks: 'I30',
  },
];
