import { templateHashAnnotation } from '@ordinal/constructs';
import type { RolloutObservation } from '@ordinal/lifecycle';
import { membersOfSet } from '@ordinal/lifecycle';
import type { DecisionInputs } from '../kind.ts';
import type { AnsweredInputs, UpgradeInputs } from '../upgrade/rollout-observation.ts';
import { observeUpgrade } from '../upgrade/rollout-observation.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import { membersOf } from './members.ts';
import { preTerminateHook } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { cacheTask } from './task.ts';
import { isTakenOut } from './taken-out.ts';
import type { Goal } from './template.ts';
import { toBuild } from './template.ts';

/** One more look and its time. */
export interface Inputs extends DecisionInputs, Pick<AnsweredInputs, 'answers'> {}

/** What the state of the rollout depends on beside what was observed. */
interface RolloutInputs extends UpgradeInputs {
  readonly wanted: Goal;
}

/** A cache and its members, as the rollout engine sees them. */
export function observeRollout(seen: CacheObservation, inputs: RolloutInputs): RolloutObservation {
  const { cache, children, reserved } = seen;
  const { wanted, now } = inputs;
  const built = toBuild(cache);
  const members = membersOfSet({
    ...{ statefulSet: children.set, pods: seen.pods.filter((pod) => !isTakenOut(pod, built)) },
    ...{ revisionAnnotation: templateHashAnnotation, finalizer: preTerminateHook, template: wanted.template },
  });
  const upgrade = {
    ...membersOf(seen),
    ...{
      members,
      finalizer: preTerminateHook,
      reserved,
      checks: checksOf(cache.spec),
      gateJobs: gateJobsOf(seen, now),
      isOrdered: children.set !== undefined && children.set.spec.podManagementPolicy !== 'Parallel',
    },
    run: (task: Parameters<typeof cacheTask>[1]) => cacheTask(seen, task, now),
  };
  return observeUpgrade(upgrade, inputs);
}
