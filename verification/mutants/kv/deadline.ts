import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in deadlines and pauses of an upgrade, and in what is shown of them. */
export const deadlineMutations: readonly Mutation[] = [
  {
    name: 'a hook returns before the deadline is looked at',
    file: 'lifecycle/src/rollout/deadline.ts',
    find: 'if (!alreadyFailed && (isSuspended(seen) || now <',
    replace:
      "if (!alreadyFailed && progress.step === 'BeforeFirstPod') return undefined; if (!alreadyFailed && (isSuspended(seen) || now <",
    breaks: 'I19',
  },
  {
    name: 'a member that does not come back has no deadline',
    file: 'lifecycle/src/rollout/deadline.ts',
    find: 'if (!alreadyFailed && (isSuspended(seen) || now <',
    replace:
      "if (!alreadyFailed && progress.step === 'Replacing') return undefined; if (!alreadyFailed && (isSuspended(seen) || now <",
    breaks: 'I19',
  },
  {
    name: 'the deadline moves with every reconcile',
    file: `${kv}/upgrade.ts`,
    find: 'lastProgressAt: timestamp(lastProgressAt) };',
    replace: 'lastProgressAt: timestamp(now) };',
    breaks: 'I19',
  },
  {
    name: 'a bake time counts against the deadline',
    file: 'lifecycle/src/rollout/deadline.ts',
    find: 'progress.isSuspended === true || isWaiting(progress) ?',
    replace: 'progress.isSuspended === true ?',
    breaks: 'I20',
  },
  {
    name: 'a paused upgrade begins another version for the member that the version before had released',
    file: 'lifecycle/src/partition/hold.ts',
    find: 'if (applied === revision || partition === everyMember) return asWanted;',
    replace: 'return asWanted;',
    breaks: 'S0.3',
  },
  {
    name: 'what keeps a member from getting ready is not said',
    file: 'lifecycle/src/partition/next.ts',
    find: 'member?.cause === undefined || member.terminating',
    replace: 'member?.cause !== undefined || member?.terminating',
    breaks: 'issue 26: row 12',
  },
  {
    name: 'time that an upgrade has waited counts against its deadline when it goes on waiting for something else, or falls back',
    file: 'reconcilers/src/kv-store-cluster/upgrade.ts',
    find: 'return afterWaiting({ since: instantOf(since) ?? now,',
    replace: 'return afterWaiting({ since: Math.max(now, instantOf(since) ?? now),',
    breaks: 'I19, I20',
  },
  {
    name: 'a pause by annotation counts against the deadline',
    file: `${kv}/blocked.ts`,
    find: 'const upgrade = trouble ? undefined : pausedUpgrade(seen, message, now);',
    replace: 'const upgrade = undefined as ReturnType<typeof pausedUpgrade>;',
    breaks: 'I20',
  },
  {
    name: 'a paused cluster says that it has looked at its spec',
    file: `${kv}/blocked.ts`,
    find: '...(trouble ? { observedGeneration: generation ?? 0, processingError',
    replace: 'observedGeneration: generation ?? 0, ...(trouble ? { processingError',
    breaks: 'the meaning of observedGeneration',
  },
  {
    name: 'a duration may be longer than any date holds',
    file: 'constructs/src/workload/duration.ts',
    find: 'wanted > longestDurationMs ?',
    replace: 'wanted > Infinity ?',
    breaks: 'S0.22',
  },
  {
    name: 'trouble after a pause has no deadline',
    file: `${kv}/lateness.ts`,
    find: "if (due.record.step !== 'Paused' || upgradePolicy(seen.cluster).paused) return due;",
    replace: 'if (due.record.toRevision !== undefined || upgradePolicy(seen.cluster).paused) return due;',
    breaks: 'I19',
  },
  {
    name: 'an upgrade has no deadline while nothing can be decided about its cluster',
    file: `${kv}/blocked.ts`,
    find: 'const late = trouble ? latenessOf(seen, now) : undefined;',
    replace: 'const late = undefined as ReturnType<typeof latenessOf>;',
    breaks: 'I19',
  },
];
