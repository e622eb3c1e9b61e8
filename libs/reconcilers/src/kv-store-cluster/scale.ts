import type { KVStoreCluster } from '@ordinal/api';
import type { Instant, Finding } from '@ordinal/client';
import { conditionOf, timestamp } from '@ordinal/client';
import { hashOf } from '@ordinal/constructs';
import type { Announcement, TaskRecord, TaskStep } from '@ordinal/lifecycle';
import {
  earliest,
  longestRetryMs,
  failsNow,
  isMadeSmaller,
  reportAgainMs as reportedAgainMs,
  sizeInUse,
  withCauseOfJob,
} from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { roomForKept } from './ahead-members.ts';
import { memberPods } from './deletion-members.ts';
import { shrinkStore } from './gates.ts';
import { clusterTask } from './jobs.ts';
import { isGated } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { objectOf, ordinalOfClaim } from './observation.ts';
import { recordOf } from './records.ts';
import type { Asked } from './verdict.ts';

/** How many members there should be now, and the Job that a reduction waits for. */
export interface ScaleStep extends Asked {
  readonly replicas: number;
  readonly tasks: readonly TaskStep[];
  /** Why there are more members than the spec asks for. */
  readonly blockedBy?: Finding;
  readonly events?: readonly Announcement[];
  /** What another client has done past that, where it was not reported yet. */
  readonly bypass?: string;
  readonly lookAgainAt?: Instant;
  /** A member leaves for good now. */
  readonly isShrinking?: boolean;
}

/**
 * The replicas to apply. More are taken at once; fewer only when the Job before it has succeeded, where the spec has one, and through the gates of the members that leave. Another
 * client's change of the StatefulSet is put back in the same way: members that should not be there may hold data too.
 *
 * **Guarantees.** The Job runs once for each time that members are taken away. What it was run for stands in its subject, with the time at which that
 * began; when the members are gone its record is spent, and counts for nothing the next time, also within one generation of the spec.
 *
 * **Caveats.** An operator that restarts and is shown the StatefulSet as it was before the reduction runs the Job once more: like every Job, it has to bear
 * being run again. So does one whose StatefulSet is lost while claims of members that were taken away are still there under `claims: Delete`: these members
 * come back for it, and go again.
 */
export function decideScale(seen: Observation, now: Instant): ScaleStep {
  const step = afterHook(seen, now);
  if (step.blockedBy) return step;
  const larger = putBack(seen);
  if (larger) return { ...step, ...larger };
  const shrunk = shrinkStore(seen, now);
  if (!shrunk) return step;
  const { closed, replicas, lookAgainAt, ...asked } = shrunk;
  const command = closed?.release === undefined ? '' : `; to go on: ${closed.release}`;
  const message = `${closed?.pod ?? 'a member'} leaves for good: ${closed?.blockedBy ?? 'its gates are open'}${command}`;
  const again = earliest(step.lookAgainAt, lookAgainAt);
  return {
    ...step,
    ...asked,
    replicas,
    isShrinking: true,
    ...(replicas > seen.cluster.spec.replicas
      ? { blockedBy: { ...notScaled, reason: closed?.step ?? 'TakingDown', message } }
      : {}),
    ...(again === undefined ? {} : { lookAgainAt: again }),
  };
}

/** How many members another client has had taken away before their gates were open, and those before them, as far as they are still there; 0 where it has not. */
function takenPastGates({ cluster, statefulSet: set, pods }: Observation): number {
  const reduction = { from: cluster.status?.shrinkingFrom, set };
  return isGated(cluster) && isMadeSmaller(reduction) ? sizeInUse(reduction, pods) : 0;
}

/** The StatefulSet is as large again as the members need that are still there, and that leave through their gates then. Undefined where it has that size. */
function putBack(seen: Observation): Omit<ScaleStep, 'tasks'> | undefined {
  const replicas = takenPastGates(seen);
  if (replicas <= seen.cluster.spec.replicas) return undefined;
  const bypass = bypassed(seen, seen.statefulSet?.spec.replicas ?? 1, 'the gates of its members are open');
  const finding = { ...notScaled, reason: 'AwaitingGate', message: bypass } as const;
  return { ...{ replicas, isShrinking: true }, ...reportedOnce(seen, finding, bypass) };
}

/** Why there are more members than the spec asks for, with what another client has done past that: once, as the condition says it from then on. */
function reportedOnce(
  { cluster }: Observation,
  blockedBy: Finding,
  bypass: string | undefined,
): Pick<ScaleStep, 'blockedBy' | 'bypass'> {
  const isReported = conditionOf(cluster.status?.conditions, 'Scaled')?.message === blockedBy.message;
  if (bypass === undefined || isReported) return { blockedBy };
  return { blockedBy, bypass };
}

/** How many members there should be when the Job before a reduction, where there is one, has succeeded. */
function afterHook(seen: Observation, now: Instant): ScaleStep {
  const { cluster, statefulSet, unowned } = seen;
  const { replicas, scaleDown } = cluster.spec;
  const size = Math.max(
    roomForKept(seen),
    (statefulSet ?? unowned)?.spec?.replicas ?? Math.max(replicas, ...left(seen)),
  );
  const record = recordOf(cluster.status, 'BeforeScaleDown');
  const present = Math.max(size, sizeToPutBack(seen, size), takenPastGates(seen));
  if (present <= replicas) return { replicas, tasks: record && record.spent !== true ? [spend(record)] : [] };
  if (!scaleDown?.before) return { replicas, tasks: [] };
  const step = clusterTask(
    seen,
    {
      purpose: 'BeforeScaleDown',
      subject: subjectOf(seen, `${present}>${replicas}`, now),
      task: scaleDown.before,
      variables: { ORDINAL_REPLICAS: String(present), ORDINAL_TARGET_REPLICAS: String(replicas) },
    },
    now,
  );
  if (step.state === 'Succeeded') return { replicas, tasks: [step] };
  const { job } = step.record;
  if (step.state === 'Failed') return { replicas: present, ...failed(seen, step, now) };
  const waits = withCauseOfJob(
    seen.taskPods,
    job,
    step.blockedBy ?? `the Job ${job} has to succeed before a member is taken away`,
  );
  const bypass = size < present ? bypassed(seen, size, 'the Job of the reduction has succeeded') : undefined;
  const message = bypass === undefined ? waits : `${waits}; ${bypass}`;
  const finding = { ...notScaled, reason: 'WaitingForHook', message } as const;
  return { ...{ replicas: present, tasks: [step] }, ...reportedOnce(seen, finding, bypass) };
}

/**
 * The size before a reduction whose Job has not succeeded, where another client has made the StatefulSet smaller meanwhile: its members come back, with their volumes, for the
 * Job. 0 where nothing is to be put back, as where the reduction is not wanted any more.
 */
function sizeToPutBack({ cluster, statefulSet }: Observation, size: number): number {
  const [before = 0] = cluster.spec.scaleDown?.before && statefulSet ? ofReduction(cluster) : [];
  return size < before && cluster.spec.replicas < before ? before : 0;
}

/** What another client has done past the Job of a reduction, or the gates of members. */
const bypassed = ({ cluster }: Observation, size: number, before: string): string =>
  `another client has made the StatefulSet smaller, to ${size}, before ${before}: ${cluster.metadata.name}-${size} and those after it come back`;

const notScaled = { type: 'Scaled', status: 'False' } as const;

/** Why the members stay whose reduction's Job has failed. */
export const scaleDownFailed = 'ScaleDownFailed';

/** The Job before the reduction has failed: said at once, and again for as long as it lasts, as a person has to act. */
function failed({ cluster }: Observation, step: TaskStep, now: Instant): Omit<ScaleStep, 'replicas'> {
  const { job, message: why = '' } = step.record;
  const message = `the Job ${job} failed, and no member is taken away: ${why}; to try again, change the spec, or: ${retries.command(objectOf(cluster))}`;
  const again = failsNow(recordOf(cluster.status, 'BeforeScaleDown'), step.record)
    ? {}
    : { atMostEveryMs: reportedAgainMs };
  return {
    tasks: [step],
    blockedBy: { ...notScaled, reason: scaleDownFailed, message },
    events: [{ type: 'Warning', reason: scaleDownFailed, note: message, ...again }],
    lookAgainAt: now + longestRetryMs,
  };
}

/**
 * What sizes the members ask for that a StatefulSet has left behind, the reduction that waits for its Job, and the claims where they go with their members: it is made
 * again as large, so that the Job comes before any of them goes. A member alone would not do: it may be away at that time. A cluster that was never complete has lost none.
 */
function left(seen: Observation): readonly number[] {
  const { cluster } = seen;
  const { name } = cluster.metadata;
  const ofMembers = memberPods(seen).map(({ metadata }) => Number(metadata.name.slice(name.length + 1)) + 1);
  const hasRun = cluster.status?.currentVersion !== undefined;
  const { shrinkingFrom = 0 } = cluster.status ?? {};
  return [...ofMembers, ...(hasRun ? [shrinkingFrom, ...ofReduction(cluster), ...ofClaims(seen)] : [])].filter(
    Number.isInteger,
  );
}

/** The size before a reduction whose Job has not succeeded. */
function ofReduction({ status }: KVStoreCluster): readonly number[] {
  const record = recordOf(status, 'BeforeScaleDown');
  return record === undefined || record.spent === true || record.result === 'Succeeded'
    ? []
    : [Number(record.subject.split('>')[0])];
}

/**
 * The sizes that claims stand for which are to be deleted with their members, except those that the Job of this reduction has released: what an earlier Job
 * released may have come back since.
 */
function ofClaims({ cluster, claims }: Observation): readonly number[] {
  if (cluster.spec.scaleDown?.claims !== 'Delete') return [];
  const record = recordOf(cluster.status, 'BeforeScaleDown');
  const isAllowed = record?.result === 'Succeeded' && record.spent !== true;
  const allowedTo = isAllowed ? Number(/>(\d+)@/.exec(record.subject)?.[1] ?? Infinity) : Infinity;
  return claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((claim) => ordinalOfClaim(cluster, claim) ?? -1)
    .filter((ordinal) => ordinal < allowedTo)
    .map((ordinal) => ordinal + 1);
}

/**
 * The reduction that is under way, as its record knows it, or a new one that begins now. Whatever else of the spec changes, its Job goes on: another size or another
 * Job is another reduction, and after a failure any change is, and so is a retry that a user asks for.
 */
function subjectOf({ cluster }: Observation, reduction: string, now: Instant): string {
  const record = recordOf(cluster.status, 'BeforeScaleDown');
  const { generation = 0 } = cluster.metadata;
  const task = hashOf(cluster.spec.scaleDown?.before);
  const isReduction = record?.subject.startsWith(`${reduction}@`) === true || goesOn(cluster, record, reduction);
  const isSame = isReduction && record?.subject.includes(`#${task}/`) === true;
  const isChanged = record?.subject.startsWith(`${reduction}@${generation}#`) !== true;
  const isTriedAgain = record?.result === 'Failed' && (isChanged || retries.isRequested(cluster));
  return record && record.spent !== true && isSame && !isTriedAgain
    ? record.subject
    : `${reduction}@${generation}#${task}/${timestamp(now)}`;
}

/** Its Job has succeeded, and some of its members have left through their gates: it is still the same reduction. */
function goesOn(cluster: KVStoreCluster, record: TaskRecord | undefined, reduction: string): boolean {
  const [, before, aim] = /^(\d+)>(\d+)@/.exec(record?.subject ?? '') ?? [];
  const [present, replicas] = reduction.split('>');
  return isGated(cluster) && record?.result === 'Succeeded' && aim === replicas && Number(before) > Number(present);
}

/** No step waits for it any more. */
const spend = (record: TaskRecord): TaskStep => ({
  state: record.result ?? 'Running',
  record: { ...record, spent: true },
  actions: [],
});
