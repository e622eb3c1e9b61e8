import type { Member } from './member.ts';
import type { Awaited, Question, RolloutAnswer, RolloutObservation } from './observation.ts';
import type { RolloutOutcome, Verdict } from './outcome.ts';
import { answersOf } from './outcome.ts';

/** An upgrade does not wait for the data of a cache that is being created: it has none. */
const hasData = ({ can, progress, hasRun }: RolloutObservation): boolean =>
  can.sync && (progress !== undefined || hasRun === true);

/** Who has to catch up: those that are recorded, the replacements of those that are seen to go or to be gone, by any client, and who is seen not to be ready: its container may have started again. */
function awaitedOf(seen: RolloutObservation): readonly Awaited[] {
  if (!hasData(seen)) return [];
  const { members, replicas, catchingUp: recorded = [], progress, setIsCurrent } = seen;
  // Members that a StatefulSet has not taken up yet are not gone.
  const isGone = (ordinal: number): readonly Awaited[] => (progress || setIsCurrent ? [{ ordinal }] : []);
  return Array.from({ length: replicas }, (_, ordinal): readonly Awaited[] => {
    const member = members.find((one) => one.ordinal === ordinal);
    const known = recorded.filter((one) => one.ordinal === ordinal);
    if (member?.terminating) return [{ ordinal, podUID: member.uid }];
    if (known.length > 0) return known;
    if (member) return member.ready ? [] : [{ ordinal }];
    return isGone(ordinal);
  }).flat();
}

/** The replacements that have come: what went is not asked. */
const returned = (seen: RolloutObservation): readonly Member[] =>
  awaitedOf(seen).flatMap(({ ordinal, podUID }) =>
    seen.members.filter(
      (member) => member.ordinal === ordinal && member.uid !== podUID && member.ready && !member.terminating,
    ),
  );

/** What keeps a replacement from counting as one that carries the data. */
export type Lag = RolloutAnswer & { readonly question: Question };

/** A leader lags behind no other member, and need not say that it is in sync. */
const isLeader = (member: Member, seen: RolloutObservation): boolean =>
  seen.can.role && seen.answer({ about: 'role', of: member })?.ok === true;

/**
 * The replacements that have not caught up yet, or what must be asked before that is known. Each is remembered until it has said so, whatever else is wanted and
 * whichever other member is deleted meanwhile: it carries nothing yet, and with another one down the rest would carry it alone.
 */
export function membersBehind(
  seen: RolloutObservation,
): { readonly lags: readonly Lag[] } | Extract<Verdict, { ask: unknown }> {
  const syncs = answersOf('sync', returned(seen), seen);
  if ('ask' in syncs) return syncs;
  const lags = syncs.answers.filter(({ ok }) => !ok);
  if (!seen.can.role) return { lags };
  const roles = answersOf(
    'role',
    lags.map(({ question: { of } }) => of),
    seen,
  );
  if ('ask' in roles) return roles;
  return { lags: lags.filter(({ question: { of } }) => !isLeader(of, seen)) };
}

/** The same, and the replacement of the member that another client was last allowed to delete: it may be behind although nothing is on record. */
export function allBehind(seen: RolloutObservation): ReturnType<typeof membersBehind> {
  const { catchingUp = [], lastReserved } = seen;
  return membersBehind({ ...seen, catchingUp: lastReserved ? [...catchingUp, lastReserved] : catchingUp });
}

/**
 * What is to be remembered from now on: those that this outcome takes down are awaited too, and those that have caught up no more. One that is taken down before it has caught up stays
 * recorded as it was: its replacement is awaited by that too, and it is itself where it stays after all, as its deletion may be refused.
 */
export function catchingUpAfter(
  seen: RolloutObservation,
  { actions }: Pick<RolloutOutcome, 'actions'>,
): readonly Awaited[] {
  if (!hasData(seen)) return [];
  const caughtUp = returned(seen).filter(
    (member) => seen.answer({ about: 'sync', of: member })?.ok === true || isLeader(member, seen),
  );
  const taken = seen.members.filter(({ uid }) =>
    actions.some((action) => action.kind === 'delete' && action.target.uid === uid),
  );
  const isOf = (members: readonly { readonly ordinal: number }[], ordinal: number): boolean =>
    members.some((member) => member.ordinal === ordinal);
  const behind = awaitedOf(seen).filter(({ ordinal }) => !isOf(caughtUp, ordinal));
  const others = taken.filter(({ ordinal }) => !isOf(behind, ordinal));
  return [...behind, ...others.map(({ ordinal, uid }) => ({ ordinal, podUID: uid }))].sort(
    (a, b) => a.ordinal - b.ordinal,
  );
}
