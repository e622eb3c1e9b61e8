import type { Instant } from '@ordinal/client';
import { timestamp } from '../decision/index.ts';
import type { TaskRecord, TaskStep } from '../task/index.ts';
import { memberPods } from './deletion-members.ts';
import { clusterTask, recordOf } from './jobs.ts';
import type { Observation } from './observation.ts';
import { ordinalOfClaim } from './observation.ts';

/** How many members there should be now, and the Job that a reduction waits for. */
export interface ScaleStep {
  readonly replicas: number;
  readonly tasks: readonly TaskStep[];
  /** Why there are more members than the spec asks for. */
  readonly blockedBy?: string;
}

/**
 * The replicas to apply. More are taken at once; fewer only when the Job before it has succeeded, where the spec has one. Somebody else's change of the
 * StatefulSet is put back in the same way: members that should not be there may hold data too.
 *
 * **Guarantees.** The Job runs once for each time that members are taken away. What it was run for stands in its subject, with the moment at which that
 * began; when the members are gone its record is spent, and counts for nothing the next time, also within one generation of the spec.
 *
 * **Caveats.** An operator that restarts and is shown the StatefulSet as it was before the reduction runs the Job once more: like every Job, it has to bear
 * being run again.
 */
export function decideScale(seen: Observation, now: Instant): ScaleStep {
  const { cluster, statefulSet } = seen;
  const { replicas, scaleDown } = cluster.spec;
  const present = statefulSet?.spec?.replicas ?? Math.max(replicas, ...left(seen));
  const record = recordOf(cluster.status, 'BeforeScaleDown');
  if (present <= replicas) return { replicas, tasks: record && record.spent !== true ? [spend(record)] : [] };
  if (!scaleDown?.before) return { replicas, tasks: [] };
  const step = clusterTask(
    seen,
    {
      purpose: 'BeforeScaleDown',
      subject: subjectOf(`${present}>${replicas}@${cluster.metadata.generation ?? 0}`, record, now),
      task: scaleDown.before,
      variables: { ORDINAL_REPLICAS: String(present), ORDINAL_TARGET_REPLICAS: String(replicas) },
    },
    now,
  );
  if (step.state === 'Succeeded') return { replicas, tasks: [step] };
  const said =
    step.state === 'Failed'
      ? `failed: ${step.record.message ?? ''}; change the spec to try again`
      : 'has to succeed before a member is taken away';
  return { replicas: present, tasks: [step], blockedBy: `the Job ${step.record.job} ${said}` };
}

/**
 * What sizes the members ask for that a StatefulSet has left behind, the reduction that waits for its Job, and the claims where they go with their members: it is made
 * again as large, so that the Job comes before any of them goes. A member alone would not do: it may be away at that moment.
 */
function left(seen: Observation): readonly number[] {
  const { cluster, claims } = seen;
  const { name } = cluster.metadata;
  const ofMembers = memberPods(seen).map(({ metadata }) => Number(metadata.name.slice(name.length + 1)) + 1);
  const record = recordOf(cluster.status, 'BeforeScaleDown');
  const ofReduction = record && record.spent !== true ? [Number(record.subject.split('>')[0])] : [];
  const ofClaims =
    cluster.spec.scaleDown?.claims === 'Delete'
      ? claims
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .map((claim) => (ordinalOfClaim(cluster, claim) ?? -1) + 1)
      : [];
  return [...ofMembers, ...ofReduction, ...ofClaims].filter((size) => Number.isInteger(size));
}

/** The reduction that is under way, as its record knows it, or a new one that begins now. */
function subjectOf(reduction: string, record: TaskRecord | undefined, now: Instant): string {
  const isUnderWay = record?.spent !== true && record?.subject.startsWith(`${reduction}/`) === true;
  return isUnderWay ? record.subject : `${reduction}/${timestamp(now)}`;
}

/** Nobody waits for it any more. */
const spend = (record: TaskRecord): TaskStep => ({
  state: record.result ?? 'Running',
  record: { ...record, spent: true },
  actions: [],
});
