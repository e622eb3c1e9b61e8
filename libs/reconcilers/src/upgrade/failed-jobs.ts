import type { Instant } from '@ordinal/client';
import type { Announcement, Decision, LastingFailure, TaskRecord } from '@ordinal/lifecycle';
import { causeOfFailure, withLastingFailures } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import type { Naming } from '../commands.ts';
import { objectIn } from '../commands.ts';
import type { Upgradable } from './upgradable.ts';

/** The condition that is true while the Job of an upgrade has failed, and nothing else is wanted; and the reason of its events. */
const jobFailed = 'JobFailed';

/** The Jobs on record that have failed, as long as something waits for what they were run for. An analysis that has failed is a failed upgrade. */
export function failedHooks({ status }: Upgradable): readonly TaskRecord[] {
  if (status?.upgrade === undefined && status?.failedRevision === undefined) return [];
  return (status.hooks ?? []).filter(({ purpose, result }) => result === 'Failed' && purpose !== 'Analysis');
}

function failureOf({ job, purpose, message }: TaskRecord, object: string): LastingFailure {
  const command = retries.command(object);
  return {
    reason: `${purpose}Failed`,
    message: `the Job ${job} (${purpose}) has failed: ${causeOfFailure(message)}; to try it again: ${command}`,
  };
}

const eventOf = (note: string): Announcement => ({ type: 'Warning', reason: jobFailed, note });

/** The decision, with the Jobs that its status says to have failed. Pure. */
export function withFailedJobs<C>(
  decision: Decision<C>,
  { object, naming }: { readonly object: Upgradable; readonly naming: Naming },
  now: Instant,
): Decision<C> {
  const status = decision.status?.status as Upgradable['status']; // Of this object's kind.
  const after = status === undefined ? undefined : { ...object, status };
  const failures = after ? failedHooks(after).map((hook) => failureOf(hook, objectIn(object, naming))) : [];
  return withLastingFailures(decision, { type: jobFailed, failures, eventOf }, now);
}
