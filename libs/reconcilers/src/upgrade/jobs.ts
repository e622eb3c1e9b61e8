import type { Instant, Job, JobInput, Pod } from '@ordinal/client';
import { controllerOf, jobs as jobKind } from '@ordinal/client';
import type { UpgradeTaskToBuild } from '@ordinal/constructs';
import { hashOf, ownerUidLabel, purposeLabel, taskContainer } from '@ordinal/constructs';
import type { Action, OwnJobs, RolloutOutcome, SeenJobs, TaskRecord, TaskStep } from '@ordinal/lifecycle';
import {
  causeOfJob,
  earliest,
  endObsolete,
  hasEnded,
  identityOf,
  inTurn,
  outputsOf,
  runTask,
} from '@ordinal/lifecycle';
import { recordOf } from './hook-record.ts';
import type { Upgradable } from './upgradable.ts';

/** The Jobs of an object whose pods are upgraded, as they were seen. */
export interface SeenUpgradeJobs {
  /** Those that the object controls. */
  readonly jobs: readonly Job[];
  /** The pods of Jobs that have a purpose (`spec.upgrade.beforeFirstPod`). */
  readonly taskPods: readonly Pod[];
  /** What Jobs have printed that have just ended, by their names. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** What was found that may be Jobs of an object. */
interface FoundJobs {
  /** The Jobs that the object controls, as they say. */
  readonly jobs: readonly Job[];
  /** Pods that say that they are of a Job of an object of its name. */
  readonly pods: readonly Pod[];
  readonly own: OwnJobs;
}

/** The Jobs that the operator has made for an object, and their pods. Those of other clients count for nothing. */
export function jobsAmong(
  { metadata }: Pick<Upgradable, 'metadata'>,
  { jobs: controlled, pods: present, own }: FoundJobs,
): Pick<SeenUpgradeJobs, 'jobs' | 'taskPods'> {
  const made = controlled.filter((job) => own.isOwn(job));
  const others = new Set(controlled.filter((job) => !made.includes(job)).map((job) => job.metadata.uid));
  const isOfAnother = (pod: Pod): boolean => others.has(controllerOf(pod)?.uid ?? '');
  const taskPods = present.filter((pod) => pod.metadata.labels?.[ownerUidLabel] === metadata.uid && !isOfAnother(pod));
  return { jobs: made, taskPods };
}

/** Takes a Job of an upgrade one step further, when it is its turn. */
export type RunTask = (wanted: UpgradeTaskToBuild) => TaskStep;

/** The Jobs of an object and their pods: two that come before a member at a time would write over each other. An analysis only looks. */
const jobsOf = ({ jobs, taskPods }: SeenUpgradeJobs): SeenJobs => ({
  ...{ jobs, pods: taskPods, purposeLabel },
  isExclusive: (purpose) => purpose === 'BeforeUpgrade',
});

/** How long until a Job of which another one is in the way is looked at again, in milliseconds. */
const turnMs = 5000;

/** A Job of an upgrade. */
export interface UpgradeJob {
  /** What the status of its object is. */
  readonly status: Upgradable['status'];
  readonly wanted: UpgradeTaskToBuild;
  /** The Job that this makes. */
  readonly job: object;
}

/** Takes a Job of an upgrade one step further, when it is its turn. */
export function upgradeTask(seen: SeenUpgradeJobs, { status, job, wanted }: UpgradeJob, now: Instant): TaskStep {
  const made = job as JobInput; // The published type leaves optional what the builder always gives.
  const { name = '' } = made.metadata;
  const step = runTask(
    {
      ...{ purpose: wanted.purpose, subject: wanted.subject, definition: hashOf(wanted.task) },
      job: made,
    },
    {
      record: recordOf(status, wanted.purpose),
      job: seen.jobs.find(({ metadata }) => metadata.name === name),
      output: seen.outputs.get(name),
    },
    now,
  );
  const turn = inTurn(jobsOf(seen), step, now);
  if (turn.blockedBy !== undefined) return { ...turn, lookAgainAt: earliest(turn.lookAgainAt, now + turnMs) ?? now };
  const cause = turn.state === 'Running' ? causeOfJob(seen.taskPods, name) : undefined;
  return cause === undefined ? turn : { ...turn, blockedBy: cause };
}

/** Found by its purpose: the Jobs of gates have none. */
const isTask = ({ metadata }: Job): boolean => metadata.labels?.[purposeLabel] !== undefined;

/** What of a decision says which Jobs are still of use. */
interface Kept {
  readonly outcome: RolloutOutcome | undefined;
  /** The Job that an upgrade still waits for, also while it is paused. */
  readonly awaited: TaskStep | undefined;
  /** The records that the status has from now on. */
  readonly records: readonly TaskRecord[];
}

/** What is done about Jobs: those that a step waits for, those that nothing waits for any more, and those that have ended and of which another one of their purpose is on record. */
export function jobActions(seen: SeenUpgradeJobs, { outcome, awaited, records }: Kept, now: Instant): Action[] {
  const isAwaited = ({ metadata }: Job): boolean => outcome?.step !== 'Failed' && awaited?.record.job === metadata.name;
  const old = seen.jobs.filter(
    (job) =>
      isTask(job) &&
      hasEnded(job, now) &&
      job.metadata.deletionTimestamp === undefined &&
      !records.some((record) => record.job === job.metadata.name),
  );
  const actions: Action[] = [
    ...(outcome?.tasks ?? []).flatMap((task) => task.actions),
    ...endObsolete(jobsOf(seen), isAwaited, now),
    ...old.map((job): Action => ({
      kind: 'delete',
      descriptor: jobKind,
      target: identityOf(job),
      because: 'it has ended, and a later one of its purpose is on record',
    })),
  ];
  // A Job that can't be made holds up only what waits for its result.
  return actions.map((action) => ({ ...action, neededBy: 'nothing' }));
}

/** Whether a Job is about to be made: what the caches do not show yet may be at work. */
export const beginsJob = ({ tasks = [] }: Pick<RolloutOutcome, 'tasks'>): boolean =>
  tasks.some(({ actions }) => actions.some(({ kind }) => kind === 'create'));

/** Whose result is to be recorded. */
const mustBeReported = ({ metadata: { name, labels } }: Job, status: Upgradable['status']): boolean => {
  const record = status?.hooks?.find(({ purpose }) => purpose === labels?.[purposeLabel]);
  return record?.job === name && record.result === undefined;
};

/** The same, with what Jobs have printed whose result is to be recorded. */
export async function withOutputs<Seen extends SeenUpgradeJobs>(
  { seen, status }: { readonly seen: Seen; readonly status: Upgradable['status'] },
  context: Parameters<typeof outputsOf>[1],
): Promise<Seen> {
  const isWanted = (job: Job): boolean => isTask(job) && mustBeReported(job, status);
  return { ...seen, outputs: await outputsOf({ jobs: seen.jobs, container: taskContainer, isWanted }, context) };
}
