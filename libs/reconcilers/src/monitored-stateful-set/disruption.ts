import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { ObjectKey, Pod } from '@ordinal/client';
import { controllerOf, statefulSets } from '@ordinal/client';
import { SealedJobs, SealedStatuses, protect } from '@ordinal/lifecycle';
import type { DisruptionView, MemberProtection, Seals } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import { jobMarks, reservationAnnotation } from '../annotations.ts';
import { disruptionViewOf } from '../upgrade/disruption.ts';
import type { AnsweredInputs } from '../upgrade/rollout-observation.ts';
import { isForeign } from './children.ts';
import { checksOf } from './member-checks.ts';
import { isSelected, membersOf, podsOf } from './members.ts';
import { monitoredSetMemory } from './memory.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { observeAround } from './observe.ts';
import { observeRollout } from './rollout-observation.ts';
import { labelsText } from './selector.ts';
import { askedTemplate, revisionsOf, wantedTemplate } from './template.ts';

/** Protects the members of sets that the operator upgrades from deletions and evictions. Pods of any other StatefulSet are none of its business. */
export function protectSets({
  reader,
  seals,
}: {
  readonly reader: CacheReader;
  readonly seals: Seals;
}): MemberProtection {
  const sealedJobs = new SealedJobs(monitoredStatefulSets, seals, jobMarks);
  return protect<MonitoredStatefulSet>({
    descriptor: monitoredStatefulSets,
    reader,
    statuses: new SealedStatuses(monitoredSetMemory, seals),
    reservationAnnotation,
    ownerOf: setOf,
    isMember: (pod, set) => set.spec.upgrade !== undefined && isSelected(pod, set),
    memberSelector: ({ spec }) => labelsText(spec.statefulSetSpec.selector),
    observe(set, { set: statefulSet, pods, reserved }) {
      const own = sealedJobs.of(set);
      const present = podsOf(set, pods);
      const seen = { ...observeAround(set, reader, { reserved, own }), statefulSet, pods: present };
      const view = (inputs: AnsweredInputs): DisruptionView | undefined => disruptionView(seen, inputs);
      return { pods: present, checks: checksOf(set), create: own.create, view };
    },
  });
}

/** What the gate decides about a set's members from; undefined where the set is being deleted, or the StatefulSet of its name is another owner's. */
function disruptionView(seen: MonitoredSetObservation, inputs: AnsweredInputs): DisruptionView | undefined {
  const { set, statefulSet } = seen;
  if (set.metadata.deletionTimestamp !== undefined || isForeign(statefulSet, set)) return undefined;
  const members = membersOf(seen);
  const wanted = wantedTemplate(members.object, askedTemplate(set), statefulSet);
  const revisions = revisionsOf(set, statefulSet, wanted);
  return disruptionViewOf(members, observeRollout(seen, { ...inputs, wanted, revisions, childrenPending: false }));
}

/** The set whose member a pod may be: it bears the name that a StatefulSet gives, and no other controller has it. Labels are the user's. */
function setOf(pod: Pod): ObjectKey | undefined {
  const { namespace = '', name } = pod.metadata;
  const set = /^(.+)-\d+$/.exec(name)?.[1];
  const controller = controllerOf(pod);
  if (set === undefined) return undefined;
  return !controller || (controller.kind === statefulSets.kind && controller.name === set)
    ? { namespace, name: set }
    : undefined;
}
