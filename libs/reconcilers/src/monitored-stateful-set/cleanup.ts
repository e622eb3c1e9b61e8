import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Instant, JobInput } from '@ordinal/client';
import { cleanupJob, hashOf } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import { runTask } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import type { MonitoredSetObservation } from './observation.ts';

/** How long after a failure the clean-up Job is run again, in milliseconds; doubling with each failure. */
const retryMs = 30_000;

/** The Job that cleans up for a set. */
export function cleanupJobFor({ metadata, spec, status }: MonitoredStatefulSet): JobInput {
  const { name, namespace = '', uid } = metadata;
  const registration =
    status?.registrations?.find(({ endpoint }) => endpoint === spec.monitorEndpoint) ?? status?.registrations?.[0];
  const subject = { uid, endpoint: registration?.endpoint ?? spec.monitorEndpoint, monitorId: registration?.id ?? '' };
  // What a builder gives is what is written; only its lists are not read-only.
  return cleanupJob({ name, namespace, spec }, subject) as JobInput;
}

/** One step of the clean-up Job; undefined where clean-up is inline. */
export function cleanupStep({ set, cleanup }: MonitoredSetObservation, now: Instant): TaskStep | undefined {
  if (cleanup === undefined) return undefined;
  const wanted = {
    ...{ purpose: 'Cleanup', subject: set.metadata.uid, job: cleanupJobFor(set), retryMs },
    ...{ definition: hashOf(set.spec.cleanupJob), again: retries.isRequested(set) },
  };
  return runTask(wanted, { record: set.status?.cleanupTask, ...cleanup }, now);
}
