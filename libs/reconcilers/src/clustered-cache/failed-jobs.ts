import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Announcement, Decision, LastingFailure, TaskRecord } from '@ordinal/lifecycle';
import { causeOfFailure, withLastingFailures } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';

/** The condition that is true while the Job of an upgrade has failed, and nothing else is wanted; and the reason of its events. */
const jobFailed = 'JobFailed';

/** The Jobs on record that have failed, as long as something waits for what they were run for. An analysis that has failed is a failed upgrade. */
export function failedHooks({ status }: ClusteredCache): readonly TaskRecord[] {
  if (status?.upgrade === undefined && status?.failedRevision === undefined) return [];
  return (status.hooks ?? []).filter(({ purpose, result }) => result === 'Failed' && purpose !== 'Analysis');
}

function failureOf({ job, purpose, message }: TaskRecord, { metadata }: ClusteredCache): LastingFailure {
  const { name, namespace = 'default' } = metadata;
  const command = retries.command(`-n ${namespace} clusteredcache ${name}`);
  return {
    reason: `${purpose}Failed`,
    message: `the Job ${job} (${purpose}) has failed: ${causeOfFailure(message)}; to try it again: ${command}`,
  };
}

const eventOf = (note: string): Announcement => ({ type: 'Warning', reason: jobFailed, note });

/** The decision, with the Jobs that its status says to have failed. Pure. */
export function withFailedJobs(decision: Decision, cache: ClusteredCache, now: Instant): Decision {
  const status = decision.status?.status as ClusteredCache['status']; // Of this kind.
  const after = status === undefined ? undefined : { ...cache, status };
  const failures = after ? failedHooks(after).map((hook) => failureOf(hook, after)) : [];
  return withLastingFailures(decision, { type: jobFailed, failures, eventOf }, now);
}
