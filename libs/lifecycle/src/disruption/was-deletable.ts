import type { Pod, StatefulSet } from '@ordinal/client';
import { controllerOf, instantOf } from '@ordinal/client';
import { ordinalIn } from '../rollout/member.ts';

/** Reasons of the condition `DisruptionTarget` with which the cluster's own controllers delete what is lost, or what has to make room. */
const losses: ReadonlySet<string> = new Set([
  'DeletionByTaintManager',
  'DeletionByPodGC',
  'TerminationByKubelet',
  'PreemptionByScheduler',
]);

const conditionOf = ({ status }: Pod, type: string) => status?.conditions?.find((condition) => condition.type === type);

function isLost(pod: Pod): boolean {
  const target = conditionOf(pod, 'DisruptionTarget');
  return target?.status === 'True' && losses.has(target.reason ?? '');
}

/** Whether it served when it was deleted: its readiness ends with its containers, after that. */
function served(pod: Pod): boolean {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status === 'True') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const ended = instantOf(deletionTimestamp);
  const unreadySince = instantOf(ready?.lastTransitionTime);
  if (ended === undefined || unreadySince === undefined) return false;
  // Whole seconds: one that got unready within the second of its deletion may have served.
  return unreadySince >= ended - deletionGracePeriodSeconds * 1000;
}

/** What is known of an owner when one of its members is seen to terminate. */
export interface DeletableBy {
  readonly statefulSet: StatefulSet | undefined;
  /** How many members the StatefulSet keeps, or should keep. */
  readonly kept: number;
  /** The UIDs of members that may go: one that is reserved, one whose gates a user has opened by hand. */
  readonly allowed: readonly string[];
}

/**
 * Whether no gate was bypassed although another client deleted this member: the webhook has allowed it, or would have. That is so for one that did not serve,
 * that its StatefulSet keeps no more, that was lost with its node, and for what the garbage collector deletes with its StatefulSet.
 */
export function wasDeletable(pod: Pod, { statefulSet: set, kept, allowed }: DeletableBy): boolean {
  const { name, uid } = pod.metadata;
  if (!set || set.metadata.deletionTimestamp !== undefined) return true;
  if (controllerOf(pod)?.uid !== set.metadata.uid) return true;
  if ((ordinalIn(name, set.metadata.name) ?? -1) >= kept) return true;
  return allowed.includes(uid) || isLost(pod) || !served(pod);
}
