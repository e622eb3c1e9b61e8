import type { Pod } from '@ordinal/client';
import { controllerOf, instantOf } from '@ordinal/client';
import { ordinalIn } from './kept-replicas.ts';
import { openGatesAnnotation } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { reservationOf, reservedFor } from './reservation.ts';

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

/**
 * Whether no gate was bypassed although another client deleted this member: the webhook has allowed it, or would have. That is so for one that did not serve,
 * that its StatefulSet keeps no more, that was lost with its node, and for what the garbage collector deletes with its StatefulSet.
 */
export function wasDeletable(pod: Pod, { cache, children: { set } }: CacheObservation): boolean {
  const { name, uid } = pod.metadata;
  if (!set || set.metadata.deletionTimestamp !== undefined) return true;
  if (controllerOf(pod)?.uid !== set.metadata.uid) return true;
  const kept = Math.max(cache.spec.replicas, set.spec.replicas ?? 1);
  if ((ordinalIn(name, set.metadata.name) ?? -1) >= kept) return true;
  const reservation = reservationOf(cache);
  if (reservation !== undefined && reservedFor(reservation) === uid) return true;
  return cache.metadata.annotations?.[openGatesAnnotation] === uid || isLost(pod) || !served(pod);
}
