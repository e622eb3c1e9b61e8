import type { Instant } from '@ordinal/client';
import type { Member, Question, RolloutObservation } from '../rollout/index.ts';
import { answersOf } from '../rollout/outcome.ts';
import { unavailableIn, withoutThose } from '../rollout/unavailable.ts';

/** The members of one owner, and what the operator does with them. */
export interface MembersAtWork {
  /** The members, and what an upgrade would ask before it takes one down. */
  readonly rollout: RolloutObservation;
  /** The name of the StatefulSet: a member's is this one, and its ordinal. */
  readonly setName: string;
  /** How many members have their gates: as many as the StatefulSet keeps, and those that a reduction has not taken down yet. */
  readonly gatedReplicas: number;
  /** Those that the operator has released to the StatefulSet's controller, or is about to: no other member goes before they have. */
  readonly released?: readonly Pick<Member, 'uid' | 'name'>[];
  /** Why no other member may go while the operator works on this one; absent where it takes none down. */
  readonly busy?: { readonly podUID?: string; readonly because: string };
}

/** What is known of members that are down beside the one that is asked about. */
export type Beside =
  | { readonly ask: readonly Question[] }
  /** It may not go, whatever its gates say. */
  | { readonly because: string }
  /** It may go as far as the others are concerned: its gates are asked of those that serve. */
  | { readonly serving: RolloutObservation };

/** Whether several members may be down: not while some of them leave for good, or a change of the spec has not been looked at. */
export const maySeveralBeDown = ({ rollout, gatedReplicas }: MembersAtWork): boolean =>
  (rollout.maxUnavailable ?? 1) > 1 &&
  rollout.replicas === rollout.wantedReplicas &&
  gatedReplicas === rollout.replicas;

/** The ordinals of the other members that are down, or about to go by the operator's own hand. */
function othersDown(
  { uid, ordinal }: Member,
  { rollout, busy, released = [] }: MembersAtWork,
  unavailable: readonly { readonly ordinal: number }[],
): readonly { readonly ordinal: number }[] {
  const isGoing = (other: Member): boolean =>
    other.uid === busy?.podUID || released.some((each) => each.uid === other.uid);
  const going = rollout.members.filter((other) => other.uid !== uid && isGoing(other));
  const all = [...unavailable, ...going].filter((other) => other.ordinal !== ordinal);
  return [...new Map(all.map((one) => [one.ordinal, one])).values()];
}

/** A leader goes alone, and so does every member while it is not known who leads. */
function mayLead(member: Member, serving: RolloutObservation): Beside | undefined {
  if (!serving.can.role) return undefined;
  const roles = answersOf('role', serving.members, serving);
  if ('ask' in roles) return roles;
  const own = roles.answers.find(({ question: { of } }) => of.uid === member.uid);
  if (own?.ok === true || own?.unknown === true) return { because: 'it may lead, and goes only when all others serve' };
  return roles.answers.some(({ ok }) => ok) ? undefined : { because: 'no member leads' };
}

/**
 * Whether a member may go beside those that are down already, where several may be (`maySeveralBeDown`): by the same rules as in an upgrade. Undefined where none is: then it goes alone. Pure.
 *
 * **Guarantees.** What the operator is about to take down counts although it still serves.
 */
export function besideOthers(member: Member, seen: MembersAtWork, now: Instant): Beside | undefined {
  const { rollout, setName } = seen;
  const found = unavailableIn(rollout, now);
  if ('ask' in found) return found;
  const down = othersDown(member, seen, found.unavailable);
  if (down.length === 0) return undefined;
  const { maxUnavailable = 1 } = rollout;
  if (down.length >= maxUnavailable) {
    const names = down.map(({ ordinal }) => `${setName}-${ordinal}`).join(', ');
    return { because: `${maxUnavailable} members may be unavailable, and ${names} are` };
  }
  const [alone] = found.unavailable.filter(({ alone: isAlone, ordinal }) => isAlone && ordinal !== member.ordinal);
  if (alone) return { because: `${setName}-${alone.ordinal} goes alone, and is not back yet` };
  const serving = withoutThose(rollout, down);
  return mayLead(member, serving) ?? { serving };
}
