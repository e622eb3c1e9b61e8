import type { Pod } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Action, Question } from '@ordinal/lifecycle';
import { closedGates, isServing } from '@ordinal/lifecycle';
import { gatedReplicas, unclaimedOrdinal } from './kept-replicas.ts';
import { openGatesAnnotation } from './names.ts';
import type { CacheObservation } from './observe.ts';
import type { Inputs } from './rollout-observation.ts';
import { observeRollout } from './rollout-observation.ts';
import { wantedTemplate } from './template.ts';

/** A request to delete or evict a pod. */
export interface Disruption {
  readonly pod: Pod;
  /** The name of the user who asks. */
  readonly requester: string;
  /** The operator's own user name. */
  readonly operator: string;
}

/** Whether a pod may go, and why; or what must be asked before that can be said. */
export type DisruptionVerdict =
  | {
      readonly may: true;
      readonly because: string;
      /** It serves, and its gates are open: the only one for now. */ readonly serving?: true;
    }
  | {
      readonly may: false;
      readonly because: string;
      /** What has to be done so that it may one day, such as creating a gate's Job. */
      readonly actions?: readonly Action[];
    }
  | { readonly ask: readonly Question[] };

/** Controllers that clean up what is lost already: to refuse them protects no member. */
const cleaners: ReadonlySet<string> = new Set(
  [
    'generic-garbage-collector',
    'namespace-controller',
    'pod-garbage-collector',
    'node-controller',
    'taint-eviction-controller',
  ].map((name) => `system:serviceaccount:kube-system:${name}`),
);

const openedByHand = 'a user has opened its gates by hand';

const may = (because: string): DisruptionVerdict => ({ may: true, because });

/** Why a pod may go whatever else is true; undefined where that depends on its cache. The request alone says it. */
export function passesAnyway({ pod, requester, operator }: Disruption): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return 'it terminates already';
  if (requester === operator) return 'the operator has asked the gate itself';
  return cleaners.has(requester) || requester.startsWith('system:node:') ? 'it is lost already' : undefined;
}

/**
 * Decides whether a pod may be deleted or evicted now: the gate that an upgrade asks, for all other clients. Pure.
 *
 * **Guarantees.** A pod that terminates already passes, and so does one that does not serve, one that its StatefulSet keeps no more, and everything of a cache
 * that is gone or going: the gate never keeps a deletion from coming to its end. A gate that is a Job is asked by making that Job, which is the same for
 * an upgrade and for every try of a drain. One that is to leave for good has its gates until they have let the StatefulSet become smaller: it may hold data too. One
 * whose StatefulSet is away waits until it is there again.
 */
export function decideDisruption(
  seen: CacheObservation | undefined,
  disruption: Disruption,
  inputs: Inputs,
): DisruptionVerdict {
  const { metadata } = disruption.pod;
  const anyway = passesAnyway(disruption);
  if (anyway !== undefined) return may(anyway);
  if (!seen || seen.cache.metadata.deletionTimestamp !== undefined) return may('its ClusteredCache is gone or going');
  const wanted = wantedTemplate(seen.cache, seen.children.set);
  const rollout = observeRollout(seen, { ...inputs, wanted, childrenPending: false });
  const member = rollout.members.find(({ uid }) => uid === metadata.uid);
  if (!member) return decideUnclaimed(seen, disruption.pod);
  if (member.ordinal >= Math.max(rollout.replicas, gatedReplicas(seen))) return may('its StatefulSet keeps it no more');
  if (!member.ready) return may('it does not serve');
  if (rollout.openedFor === member.uid) return may(openedByHand);
  // Of a reduction, those that are there: another client may have made the StatefulSet smaller meanwhile.
  const there = Math.max(rollout.replicas, ...rollout.members.map(({ ordinal }) => ordinal + 1));
  const peers = Array.from({ length: Math.min(there, gatedReplicas(seen)) }, (_, ordinal) => ordinal).filter(
    (ordinal) => ordinal !== member.ordinal,
  );
  const down = peers.find((ordinal) => !rollout.members.some((peer) => peer.ordinal === ordinal && peer.ready));
  if (down !== undefined) return { may: false, because: `its peer ${seen.cache.metadata.name}-${down} is not ready` };
  const busy = takenDownNow(seen, member.uid) ?? reservedNow(seen, member.uid);
  if (busy !== undefined) return { may: false, because: busy };
  const closed = closedGates(member, rollout, inputs.now);
  if (!closed) return { may: true, because: 'every gate is open', serving: true };
  if ('ask' in closed) return closed;
  const { blockedBy, message, actions } = closed.outcome;
  return { may: false, because: blockedBy ?? message, actions };
}

/** A pod that its StatefulSet has not taken up (again): there is no StatefulSet, so it is not known which pods it will keep. */
function decideUnclaimed(seen: CacheObservation, pod: Pod): DisruptionVerdict {
  if (unclaimedOrdinal(pod, seen) === undefined) return may('it is no member');
  if (!isServing(pod)) return may('it does not serve');
  if (seen.cache.metadata.annotations?.[openGatesAnnotation] === pod.metadata.uid) return may(openedByHand);
  return { may: false, because: 'no StatefulSet has it at present: it is to be made again, and to take it up' };
}

/** Why no member but the reserved one may be deleted now; undefined where none is reserved, or it is gone already. */
function reservedNow(seen: CacheObservation, uid: string): string | undefined {
  if (seen.reserved === undefined || seen.reserved === uid) return undefined;
  const other = seen.pods.find(({ metadata }) => metadata.uid === seen.reserved)?.metadata;
  return other && `the deletion of another member, ${other.name}, has just been allowed`;
}

/** Steps in which one member is down, or about to be, by the operator's own hand. */
const steps: ReadonlySet<string> = new Set([
  'TakingDown',
  'AwaitingTermination',
  'AwaitingReplacement',
  'AwaitingReady',
  'AwaitingSync',
]);

/** What the operator says, in the status that it writes before it takes a member down. */
function takenDownNow({ cache }: CacheObservation, uid: string): string | undefined {
  const { conditions, upgrade } = cache.status ?? {};
  const progressing = conditionOf(conditions, 'Progressing');
  // Who lags behind is asked by the gates themselves; outside of an upgrade it may go itself.
  const waitsForData = progressing?.reason === 'AwaitingSync' && upgrade === undefined;
  const isBusy = progressing?.status === 'True' && steps.has(progressing.reason) && !waitsForData;
  if (!isBusy || upgrade?.podUID === uid) return undefined;
  return `the operator is replacing another member (${progressing.message})`;
}
