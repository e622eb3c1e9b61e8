import type { Job } from '@ordinal/client';
import type { Purpose } from '@ordinal/constructs';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { SeenJobs, TaskStep } from '@ordinal/lifecycle';
import { upgradeSteps } from './member-checks.ts';
import type { Observation } from './observation.ts';
import type { UpgradeStep } from './upgrade.ts';
import { hasFailed, subjectOf } from './upgrade.ts';

/**
 * Purposes whose Jobs change what the members hold: two at a time would write over each other, and one that nothing waits for any more over what serves by
 * then. Backups and analyses only look.
 */
const exclusive: ReadonlySet<string> = new Set<Purpose>(['Restore', 'BeforeUpgrade', 'BeforeScaleDown']);

/** Whether no other Job of this purpose may be at work beside one. */
export const isExclusive = (purpose: string | undefined): boolean => exclusive.has(purpose ?? '');

/** The Jobs of a cluster and their pods, and which of them exclude each other. */
export const jobsOf = ({ jobs, taskPods }: Observation): SeenJobs => ({
  ...{ jobs, pods: taskPods },
  ...{ purposeLabel, isExclusive },
});

/** What is awaited in a reconcile. */
interface Awaited {
  readonly upgrade: Pick<UpgradeStep, 'record' | 'failed'>;
  readonly tasks: readonly TaskStep[];
}

/** It is awaited: by a step, or the upgrade that it comes before is paused. Not waited for is that of an upgrade that was aborted, put back, or leads elsewhere. */
export function isAwaited(seen: Observation, job: Job, { upgrade, tasks }: Awaited): boolean {
  if (tasks.some(({ record }) => record.job === job.metadata.name && record.spent !== true)) return true;
  const { record, failed } = upgrade;
  if (job.metadata.labels?.[purposeLabel] !== 'BeforeUpgrade' || !record || failed || hasFailed(seen)) return false;
  const isWanted = upgradeSteps(seen.cluster).beforeFirstPod !== undefined;
  return isWanted && job.metadata.annotations?.[subjectAnnotation] === subjectOf(record);
}
