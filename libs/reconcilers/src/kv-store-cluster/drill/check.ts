import type { KVStoreCluster } from '@ordinal/api';
import type { Instant, Job } from '@ordinal/client';
import { jobs as jobKind, timestamp } from '@ordinal/client';
import { kvStoreImage, purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Action, TaskStep } from '@ordinal/lifecycle';
import { identityOf, hasEnded } from '@ordinal/lifecycle';
import { clusterTask } from '../jobs.ts';
import type { Observation } from '../observation.ts';
import { recordOf } from '../records.ts';
import type { DrillRecord } from './records.ts';

/** What the check of a drill is made for: a drill that is given the same name later has another one. */
const subjectOf = ({ name, startedAt }: DrillRecord): string => `${name}@${startedAt}`;

/** Whether the Job that checks the scratch cluster of this drill was begun. */
export const isCheckBegun = ({ cluster }: Observation, drill: DrillRecord): boolean =>
  recordOf(cluster.status, 'RestoreDrill')?.subject === subjectOf(drill);

/**
 * Takes the Job that checks a scratch cluster one step further. It is a Job of the cluster itself, whose variables name the scratch cluster: a check that writes must not
 * reach the real one.
 */
export function runCheck(seen: Observation, drill: DrillRecord, scratch: KVStoreCluster, now: Instant): TaskStep {
  const { metadata, spec } = scratch;
  const check = seen.cluster.spec.backup?.drill?.check;
  if (!check) throw new TypeError('a restore drill needs spec.backup.drill.check');
  const { namespace = '' } = seen.cluster.metadata;
  return clusterTask(
    seen,
    {
      purpose: 'RestoreDrill',
      subject: subjectOf(drill),
      task: { ...check, image: check.image ?? kvStoreImage(spec, spec.version) },
      variables: {
        ORDINAL_CLUSTER: metadata.name,
        ORDINAL_SERVICE: `${metadata.name}.${namespace}.svc`,
        ORDINAL_REPLICAS: String(spec.replicas),
        ORDINAL_PORT: spec.port === undefined ? '' : String(spec.port),
        ORDINAL_VERSION: spec.version,
        ORDINAL_SOURCE_CLUSTER: seen.cluster.metadata.name,
        ORDINAL_DRILL: drill.name,
        ORDINAL_BACKUP_NAME: spec.restoreFrom?.backup ?? '',
        ORDINAL_BACKUP_LOCATION: spec.restoreFrom?.location ?? '',
      },
      once: true,
    },
    now,
  );
}

/** Records that the check of a drill was given up, where it had not ended. */
export function giveUpCheck(seen: Observation, drill: DrillRecord, now: Instant): readonly TaskStep[] {
  const record = recordOf(seen.cluster.status, 'RestoreDrill');
  if (!record || !isCheckBegun(seen, drill) || record.result !== undefined) return [];
  const message = 'its restore drill has ended before it';
  return [
    { state: 'Failed', record: { ...record, result: 'Failed', finishedAt: timestamp(now), message }, actions: [] },
  ];
}

/** The Jobs of checks that have not ended, but for that of the drill which waits for it. */
export function checksAtWork({ jobs }: Observation, awaited: DrillRecord | undefined, now: Instant): readonly Job[] {
  const subject = awaited?.result === undefined && awaited !== undefined ? subjectOf(awaited) : undefined;
  return jobs.filter(
    (job) =>
      job.metadata.labels?.[purposeLabel] === 'RestoreDrill' &&
      job.metadata.annotations?.[subjectAnnotation] !== subject &&
      !hasEnded(job, now),
  );
}

/** Ends these checks: nothing waits for them any more. In the foreground, so that they are gone after their pods, and only as they were seen. */
export function endChecks(checks: readonly Job[]): readonly Action[] {
  return checks
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((job) => ({
      kind: 'delete',
      descriptor: jobKind,
      target: identityOf(job),
      resourceVersion: job.metadata.resourceVersion,
      propagation: 'Foreground',
      neededBy: 'nothing',
      because: 'its restore drill has ended',
    }));
}
