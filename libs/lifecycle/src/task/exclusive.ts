import type { Instant, Job, Pod } from '@ordinal/client';
import { controllerOf, jobs as jobKind, pods as podKind } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { identityOf } from '../decision/index.ts';
import type { TaskStep } from './run.ts';
import { hasEnded } from './task.ts';

/** The Jobs of an object and their pods, as they were seen. */
export interface SeenJobs {
  readonly jobs: readonly Job[];
  readonly pods: readonly Pod[];
  /** The label by which a Job and its pod say what they are for. */
  readonly purposeLabel: string;
  /** Whether a Job of this purpose changes what the members hold. Two at a time would write over each other, and one that nothing waits for any more over what serves by then. */
  readonly isExclusive: (purpose: string) => boolean;
}

/** It is the pod of a Job, and may still write. */
const isRunning = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

const purposeIn = ({ metadata }: Job | Pod, { purposeLabel }: SeenJobs): string =>
  metadata.labels?.[purposeLabel] ?? '';

/** The exclusive Jobs that have not ended, and the pods of such. */
export function exclusiveAtWork(seen: SeenJobs, now: Instant): readonly (Job | Pod)[] {
  return [...jobsAtWork(seen, now), ...podsAtWork(seen)];
}

const jobsAtWork = (seen: SeenJobs, now: Instant): readonly Job[] =>
  seen.jobs.filter((job) => seen.isExclusive(purposeIn(job, seen)) && !hasEnded(job, now));

const podsAtWork = (seen: SeenJobs): readonly Pod[] =>
  seen.pods.filter((pod) => seen.isExclusive(purposeIn(pod, seen)) && isRunning(pod));

/**
 * The step of a task that waits for its turn: while another Job of its purpose, or a pod of one, is at work, its own is not made, and no step goes on because of
 * its success. Tasks that are not exclusive need not wait. Pure.
 *
 * **Guarantees.** A Job is at work until it says how it ended, and one that is deleted until it is gone, which it is in the foreground after its pods.
 */
export function inTurn(seen: SeenJobs, step: TaskStep, now: Instant): TaskStep {
  const { purpose, job: name } = step.record;
  if (!seen.isExclusive(purpose) || step.state === 'Failed') return step;
  const others = [
    ...jobsAtWork(seen, now).filter(({ metadata }) => metadata.name !== name),
    ...podsAtWork(seen).filter((pod) => controllerOf(pod)?.name !== name),
  ].filter((other) => purposeIn(other, seen) === purpose);
  const begins = step.actions.some(({ kind }) => kind === 'create');
  if (others.length === 0 || (step.state === 'Running' && !begins)) return step;
  const names = others.map(({ metadata }) => metadata.name).join(', ');
  return { ...step, state: 'Running', actions: [], blockedBy: `waiting until ${names} has ended` };
}

/**
 * Ends exclusive Jobs that nothing waits for any more. In the foreground, so that they are gone after their pods, and only as they were seen: one that has ended meanwhile
 * stays, for its log. A pod whose Job was deleted without it (`--cascade=orphan`) is deleted too: no controller ends it. Pure.
 */
export function endObsolete(seen: SeenJobs, isAwaited: (job: Job) => boolean, now: Instant): readonly Action[] {
  const obsolete = jobsAtWork(seen, now).filter(
    (job) => job.metadata.deletionTimestamp === undefined && !isAwaited(job),
  );
  const abandoned = podsAtWork(seen).filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && controllerOf(pod) === undefined,
  );
  return [
    ...obsolete.map((job): Action => ({
      kind: 'delete',
      descriptor: jobKind,
      target: identityOf(job),
      resourceVersion: job.metadata.resourceVersion,
      propagation: 'Foreground',
      because: 'nothing waits for it any more, and it may write',
    })),
    ...abandoned.map((pod): Action => ({
      kind: 'delete',
      descriptor: podKind,
      target: identityOf(pod),
      because: 'its Job has gone without it, and it may write',
    })),
  ];
}
