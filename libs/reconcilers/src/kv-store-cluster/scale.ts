import type { Instant } from '@ordinal/client';
import type { TaskStep } from '../task/index.ts';
import { clusterTask } from './jobs.ts';
import type { Observation } from './observation.ts';

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
 */
export function decideScale(seen: Observation, now: Instant): ScaleStep {
  const { cluster, statefulSet } = seen;
  const { replicas, scaleDown } = cluster.spec;
  const present = statefulSet?.spec?.replicas ?? replicas;
  if (present <= replicas || !scaleDown?.before) return { replicas, tasks: [] };
  const step = clusterTask(
    seen,
    {
      purpose: 'BeforeScaleDown',
      subject: `${present}>${replicas}@${cluster.metadata.generation ?? 0}`,
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
