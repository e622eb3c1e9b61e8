import type { Instant, Job, Pod } from '@ordinal/client';
import { jobs as jobKind, pods as podKind, controllerOf } from '@ordinal/client';
import type { Purpose } from '@ordinal/constructs';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Action, TaskStep } from '@ordinal/lifecycle';
import { identityOf, hasEnded } from '@ordinal/lifecycle';
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

const purposeOf = ({ metadata }: Job | Pod): string => metadata.labels?.[purposeLabel] ?? '';

/** It is the pod of a Job, and may still write. */
const isAtWork = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

/** The names of the Jobs of a purpose that have not ended, and of pods of such, but for this Job's own. */
function besides(
  { jobs, taskPods }: Observation,
  { purpose, name }: { readonly purpose: string; readonly name: string },
  now: Instant,
): readonly string[] {
  const others = jobs.filter((job) => purposeOf(job) === purpose && job.metadata.name !== name && !hasEnded(job, now));
  const theirs = taskPods.filter(
    (pod) => purposeOf(pod) === purpose && isAtWork(pod) && controllerOf(pod)?.name !== name,
  );
  return [...others, ...theirs].map(({ metadata }) => metadata.name);
}

/**
 * The step of a task that waits for its turn: while another Job of its purpose, or a pod of one, is at work, its own is not made, and no step goes on because of
 * its success.
 *
 * **Guarantees.** A Job is at work until it says how it ended, and one that is deleted until it is gone, which it is in the foreground after its pods.
 */
export function inTurn(seen: Observation, step: TaskStep, now: Instant): TaskStep {
  const { purpose, job } = step.record;
  if (!isExclusive(purpose) || step.state === 'Failed') return step;
  const others = besides(seen, { purpose, name: job }, now);
  const begins = step.actions.some(({ kind }) => kind === 'create');
  if (others.length === 0 || (step.state === 'Running' && !begins)) return step;
  return { ...step, state: 'Running', actions: [], blockedBy: `waiting until ${others.join(', ')} has ended` };
}

/** The Jobs that write and have not ended, and the pods of such: nothing may be backed up beside them. */
export function writersAtWork({ jobs, taskPods }: Observation, now: Instant): readonly (Job | Pod)[] {
  return [
    ...jobs.filter((job) => isExclusive(purposeOf(job)) && !hasEnded(job, now)),
    ...taskPods.filter((pod) => isExclusive(purposeOf(pod)) && isAtWork(pod)),
  ];
}

/** What is waited for in a reconcile. */
interface Awaited {
  readonly upgrade: Pick<UpgradeStep, 'record' | 'failed'>;
  readonly tasks: readonly TaskStep[];
}

/** It is waited for: by a step, or the upgrade that it comes before is paused. */
function isAwaited(seen: Observation, job: Job, { upgrade, tasks }: Awaited): boolean {
  if (tasks.some(({ record }) => record.job === job.metadata.name && record.spent !== true)) return true;
  const { record, failed } = upgrade;
  if (purposeOf(job) !== 'BeforeUpgrade' || !record || failed || hasFailed(seen)) return false;
  const isWanted = seen.cluster.spec.upgrade?.beforeFirstPod !== undefined;
  return isWanted && job.metadata.annotations?.[subjectAnnotation] === subjectOf(record);
}

/**
 * Ends Jobs that write and that nothing waits for any more: the upgrade was aborted, put back, or leads elsewhere; the members are wanted again; something
 * else is to be restored. In the foreground, so that they are gone after their pods, and only as they were seen: one that has ended meanwhile stays, for its log.
 */
export function endObsolete(seen: Observation, awaited: Awaited, now: Instant): readonly Action[] {
  const obsolete = seen.jobs.filter(
    (job) =>
      isExclusive(purposeOf(job)) &&
      !hasEnded(job, now) &&
      job.metadata.deletionTimestamp === undefined &&
      !isAwaited(seen, job, awaited),
  );
  // Its Job was deleted without it (`--cascade=orphan`): no controller ends it.
  const abandoned = seen.taskPods.filter(
    (pod) =>
      isExclusive(purposeOf(pod)) &&
      isAtWork(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      controllerOf(pod) === undefined,
  );
  return [
    ...obsolete.map(
      (job) =>
        ({
          kind: 'delete',
          descriptor: jobKind,
          target: identityOf(job),
          resourceVersion: job.metadata.resourceVersion,
          propagation: 'Foreground',
          because: 'nothing waits for it any more, and it may write',
        }) as const,
    ),
    ...abandoned.map(
      (pod) =>
        ({
          kind: 'delete',
          descriptor: podKind,
          target: identityOf(pod),
          because: 'its Job has gone without it, and it may write',
        }) as const,
    ),
  ];
}
