import type { KVStoreCluster, KVStoreClusterSpecBackupJob } from '@ordinal/api';
import type { Instant, Job, JobInput } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import type { Purpose } from '@ordinal/constructs';
import { kvStoreJob, ownerUidLabel, purposeLabel } from '@ordinal/constructs';
import type { Member, TaskRecord, TaskStep } from '@ordinal/lifecycle';
import { causeOfJob, inTurn, runTask } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { analysisOf } from '../upgrade/canary.ts';
import { jobsOf } from './exclusive-jobs.ts';
import { upgradeSteps } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { toBuild } from './observation.ts';
import { definitionOf, imageOf, recordOf } from './records.ts';

/** One Job that a step of a cluster's life waits for. */
export interface ClusterTask {
  readonly purpose: Purpose;
  readonly subject: string;
  readonly task: KVStoreClusterSpecBackupJob;
  readonly variables?: Readonly<Record<string, string>>;
  readonly claims?: readonly { readonly ordinal: number; readonly name: string }[];
  readonly retryMs?: number;
  /** It is run once, and not again when a user asks: what comes after it does not wait for its success. */
  readonly once?: true;
  /** What is recorded of it, where that does not stand with the records of the purposes. */
  readonly record?: TaskRecord;
  /** Its Job is known by its UID as soon as it was seen. */
  readonly byUid?: true;
}

/** Whether the final backup of exactly this cluster has succeeded. */
export function isBackedUp({ metadata, status }: Observation['cluster']): boolean {
  const record = recordOf(status, 'FinalBackup');
  return record?.subject === metadata.uid && record.result === 'Succeeded';
}

/** Takes a cluster's Job one step further, when it is its turn. */
export function clusterTask(seen: Observation, wanted: ClusterTask, now: Instant): TaskStep {
  const { cluster, jobs, outputs } = seen;
  const job = kvStoreJob(toBuild(cluster), {
    ...wanted,
    version: cluster.status?.currentVersion ?? cluster.spec.version,
  });
  const name = job.metadata?.name ?? '';
  const step = runTask(
    {
      purpose: wanted.purpose,
      subject: wanted.subject,
      job: job as JobInput, // The published type leaves optional what the builder always gives.
      ...(knownByUid.has(wanted.purpose) || wanted.byUid === true ? { byUid: true } : {}),
      definition: definitionOf(cluster, wanted.task),
      again: wanted.once !== true && retries.isRequested(cluster),
      ...(wanted.retryMs === undefined ? {} : { retryMs: wanted.retryMs }),
    },
    {
      record: wanted.record ?? recordOf(cluster.status, wanted.purpose),
      job: jobs.find(({ metadata }) => metadata.name === name),
      output: outputs.get(name),
    },
    now,
  );
  return inTurn(jobsOf(seen), step, now);
}

/** Purposes by whose results data is deleted, or a backup counts as good: their Jobs are known by their UIDs. */
const knownByUid: ReadonlySet<string> = new Set<Purpose>(['FinalBackup', 'RestoreDrill']);

/** Whether an earlier version of the operator, which sealed no Jobs, took this one for a cluster's: by its label or owner reference, and where data depends on it by its UID in the status. */
export function wasMadeFor({ metadata: { uid }, status }: KVStoreCluster, job: Job): boolean {
  const { labels = {}, name, uid: jobUID } = job.metadata;
  if (labels[ownerUidLabel] !== uid && controllerOf(job)?.uid !== uid) return false;
  const { hooks = [], backups = [] } = status ?? {};
  const isOfSchedule = backups.some((record) => record.job === name && record.scheduledAt !== undefined);
  if (!isOfSchedule && !knownByUid.has(labels[purposeLabel] ?? '')) return true;
  return [...hooks, ...backups].some((record) => record.jobUID === jobUID);
}

/** Whom an analysis judges, and in which upgrade. */
interface Judged {
  readonly member: Member;
  /** When the upgrade began. */
  readonly startedAt: string;
}

/** The Job that judges one canary pod, one step further. */
export function analysisTask(seen: Observation, { member, startedAt }: Judged, now: Instant): TaskStep {
  const task = upgradeSteps(seen.cluster).canary?.analysis?.job;
  if (!task) throw new TypeError('an analysis by Job needs spec.canary.analysis.job');
  const { variables, ...analysis } = analysisOf(member, startedAt);
  const step = clusterTask(
    seen,
    {
      ...analysis,
      task: { ...task, image: task.image ?? imageOf(seen.cluster) },
      variables: { ...variables, ORDINAL_TARGET_VERSION: seen.cluster.spec.version },
    },
    now,
  );
  const cause = causeOfJob(seen.taskPods, step.record.job);
  return cause === undefined ? step : { ...step, blockedBy: cause };
}
