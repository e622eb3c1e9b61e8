import type { Pod } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import type { Member, Question, RolloutObservation } from '../rollout/index.ts';
import type { MembersAtWork } from './beside.ts';
import { besideOthers, maySeveralBeDown } from './beside.ts';
import { isServing } from '../rollout/member.ts';
import { membersBehind } from '../rollout/catch-up.ts';
import { closedGates } from '../rollout/next.ts';
import { isOpened } from '../rollout/opened.ts';
import { isKept } from '../rollout/outcome.ts';

/** A request to delete or evict a pod. */
export interface Disruption {
  readonly pod: Pod;
  /** The name of the user who asks. */
  readonly requester: string;
  /** The operator's own user name. */
  readonly operator: string;
}

/** Whether a pod may go, and why. */
export type DisruptionDecision =
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
    };

/** The decision, or what must be asked before there can be one. */
export type DisruptionVerdict = DisruptionDecision | { readonly ask: readonly Question[] };

/** The members of one owner, as far as the disruption of one of them concerns them. */
export interface DisruptionView extends MembersAtWork {
  /** The pods of the owner, as the API server has them. */
  readonly pods: readonly Pod[];
  /** Whether a pod that is no member is one that the StatefulSet is to take up (again). */
  readonly isUnclaimed: (pod: Pod) => boolean;
}

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

const statefulSetController = 'system:serviceaccount:kube-system:statefulset-controller';

const openedByHand = 'a user has opened its gates by hand';

const may = (because: string): DisruptionVerdict => ({ may: true, because });

/** Why a pod may go whatever else is true; undefined where that depends on its owner. The request alone says it. */
export function passesAnyway({ pod, requester, operator }: Disruption): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return 'it terminates already';
  if (requester === operator) return 'the operator has asked the gate itself';
  return cleaners.has(requester) || requester.startsWith('system:node:') ? 'it is lost already' : undefined;
}

/**
 * Decides whether a pod may be deleted or evicted now: the gate that an upgrade asks, for all other clients. `seen` is undefined where the pod's owner is gone or going. Pure.
 *
 * **Guarantees.** A pod that terminates already passes, and so does one that does not serve, one that its StatefulSet keeps no more, and everything of an owner
 * that is gone or going: the gate never keeps a deletion from coming to its end. A gate that is a Job is asked by making that Job, which is the same for
 * an upgrade and for every try of a drain. One that is to leave for good has its gates until they have let the StatefulSet become smaller: it may hold data too. One
 * whose StatefulSet is away waits until it is there again.
 */
export function decideDisruption(
  seen: DisruptionView | undefined,
  disruption: Disruption,
  now: number,
): DisruptionVerdict {
  const { metadata } = disruption.pod;
  const anyway = passesAnyway(disruption);
  if (anyway !== undefined) return may(anyway);
  if (!seen) return may('its owner is gone or going');
  const { rollout, gatedReplicas } = seen;
  const member = rollout.members.find(({ uid }) => uid === metadata.uid);
  if (!member) return decideUnclaimed(seen, disruption.pod);
  if (member.ordinal >= Math.max(rollout.replicas, gatedReplicas)) return may('its StatefulSet keeps it no more');
  if (!member.ready) return may('it does not serve');
  if (isOpened(member, rollout)) return may(openedByHand);
  if (isReleased(seen, disruption)) return decideReleased(member, rollout);
  return decideServing(member, seen, now);
}

/** A member that serves goes alone, or beside those that are down already where several may be, and through its gates. */
function decideServing(member: Member, seen: DisruptionView, now: number): DisruptionVerdict {
  const reserved = reservedNow(seen, member.uid);
  const beside = reserved === undefined && maySeveralBeDown(seen) ? besideOthers(member, seen, now) : undefined;
  if (beside && 'ask' in beside) return beside;
  if (beside && 'because' in beside) return { may: false, because: beside.because };
  const alone = beside ? jobAtWork(seen) : isNotAlone(seen, member);
  const kept = alone ?? reserved;
  if (kept !== undefined) return { may: false, because: kept };
  const closed = closedGates(member, beside?.serving ?? seen.rollout, now);
  if (!closed) return { may: true, because: 'every gate is open', serving: true };
  if ('ask' in closed) return closed;
  const { blockedBy, message, actions } = closed.outcome;
  return { may: false, because: blockedBy ?? message, actions };
}

/** Why it may not go where it would have to go alone. */
function isNotAlone(seen: DisruptionView, { ordinal, uid }: Member): string | undefined {
  const down = peerThatIsDown(seen, ordinal);
  return down === undefined ? takenDownNow(seen, uid) : `its peer ${seen.setName}-${down} is not ready`;
}

/** What the operator does that is about no single member. */
const jobAtWork = ({ busy }: DisruptionView): string | undefined =>
  busy?.podUID === undefined ? busy?.because : undefined;

/** The lowest ordinal beside this one whose member is not there or not ready. */
function peerThatIsDown({ rollout, gatedReplicas }: DisruptionView, ordinal: number): number | undefined {
  // Of a reduction, those that are there: another client may have made the StatefulSet smaller meanwhile.
  const there = Math.max(rollout.replicas, ...rollout.members.map((member) => member.ordinal + 1));
  return Array.from({ length: Math.min(there, gatedReplicas) }, (_, index) => index).find(
    (peer) => peer !== ordinal && !rollout.members.some((member) => member.ordinal === peer && member.ready),
  );
}

/** A pod that its StatefulSet has not taken up (again): there is no StatefulSet, so it is not known which pods it will keep. */
function decideUnclaimed({ rollout, isUnclaimed }: DisruptionView, pod: Pod): DisruptionVerdict {
  if (!isUnclaimed(pod)) return may('it is no member');
  if (!isServing(pod)) return may('it does not serve');
  if (isOpened(pod.metadata, rollout)) return may(openedByHand);
  return { may: false, because: 'its StatefulSet is missing: the operator creates it again, and it takes the pod up' };
}

/**
 * What the operator has released goes, unless another member has come back meanwhile and has not caught up: the gates were asked when it was released, which may be long ago, or when another one was released
 * with it. A replacement that carries nothing yet goes itself.
 */
function decideReleased(member: Member, rollout: RolloutObservation): DisruptionVerdict {
  const found = membersBehind(rollout);
  if ('ask' in found) return found;
  const lag = found.lags.find(({ question: { of } }) => of.uid !== member.uid && isKept(of, rollout));
  if (!lag) return may('the operator has released it');
  return { may: false, because: `${lag.question.of.name} has not caught up: ${lag.message}` };
}

/** Whether the StatefulSet's controller deletes what the operator lets it. */
const isReleased = ({ released = [] }: DisruptionView, { pod, requester }: Disruption): boolean =>
  requester === statefulSetController && released.some(({ uid }) => uid === pod.metadata.uid);

/** What the operator itself does with another member. */
function takenDownNow({ busy, released = [] }: DisruptionView, uid: string): string | undefined {
  if (busy && busy.podUID !== uid) return busy.because;
  const other = released.find((member) => member.uid !== uid);
  return other && `${other.name} is being replaced or taken away by the operator`;
}

/** Why no member but the reserved one may be deleted now; undefined where none is reserved, or it is gone already. */
function reservedNow({ rollout: { reserved }, pods }: DisruptionView, uid: string): string | undefined {
  if (reserved === undefined || reserved === uid) return undefined;
  const other = pods.find(({ metadata }) => metadata.uid === reserved)?.metadata;
  return other && `the deletion of another member, ${other.name}, has just been allowed`;
}
