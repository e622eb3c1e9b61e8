import type { RolloutObservation } from '@ordinal/lifecycle';
import { membersOfSet } from '@ordinal/lifecycle';
import type { UpgradeInputs } from '../upgrade/rollout-observation.ts';
import { observeUpgrade } from '../upgrade/rollout-observation.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import { membersOf } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { setTask } from './task.ts';
import type { Revisions } from './template.ts';
import { revisionNameOf } from './template.ts';

/** What the state of the rollout depends on beside what was observed. */
interface RolloutInputs extends UpgradeInputs {
  readonly revisions: Revisions;
}

/** A set and its members, as the rollout engine sees them. A member says by the revision of the StatefulSet's controller what it runs: the template is the user's, and bears no mark of ours. */
export function observeRollout(seen: MonitoredSetObservation, inputs: RolloutInputs): RolloutObservation {
  const { set, statefulSet, pods, reserved } = seen;
  const { revisions, now } = inputs;
  const known = new Map(pods.map((pod) => [pod.metadata.uid, revisions.get(revisionNameOf(pod)) ?? '']));
  const members = membersOfSet({
    ...{ statefulSet, pods, revisionAnnotation: '', finalizer: '', template: undefined },
  }).map((member) => ({ ...member, revision: known.get(member.uid) ?? '' }));
  const upgrade = {
    ...membersOf(seen),
    ...{ members, finalizer: '', reserved, checks: checksOf(set), gateJobs: gateJobsOf(seen, now) },
    isOrdered: set.spec.statefulSetSpec.podManagementPolicy !== 'Parallel',
    run: (task: Parameters<typeof setTask>[1]) => setTask(seen, task, now),
  };
  return observeUpgrade(upgrade, inputs);
}
