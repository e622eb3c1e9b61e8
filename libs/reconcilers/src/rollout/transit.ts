import { earliest, isOver } from '../decision/index.ts';
import type { Member } from './member.ts';
import type { Rule, Verdict } from './outcome.ts';
import { answersTo, blocked, gateIntervalMs, isCurrent, proceed, release, takeDown } from './outcome.ts';
import type { RolloutObservation } from './observation.ts';

/** How long a member may be unready before it counts as broken, in milliseconds; half as long as the deadline where that is less. */
export const brokenAfterMs = 30_000;

/**
 * How long this member may be unready before it counts as broken. What a rollback is there to repair is known to be broken. For others there has to be time
 * left for the repair before the deadline ends it.
 */
const patienceWith = ({ revision }: Member, { failedRevision, deadlineMs }: RolloutObservation): number =>
  revision === failedRevision ? 0 : Math.min(brokenAfterMs, deadlineMs / 2);

const isBroken = (member: Member, seen: RolloutObservation, now: number): boolean =>
  !member.ready && !member.terminating && isOver(member.since, patienceWith(member, seen), now);

const inPlace = (seen: RolloutObservation): readonly Member[] =>
  seen.members.filter(({ ordinal }) => ordinal < seen.replicas);

const isMissing = (seen: RolloutObservation): boolean => inPlace(seen).length < seen.replicas;

/** A member that went now could come back outdated: wait until the StatefulSet's controller knows what to create. */
export const awaitSet: Rule = (seen) =>
  seen.setIsCurrent ? undefined : proceed('Starting', 'the StatefulSet has not taken up what is wanted yet');

/**
 * A broken member of another revision is what the upgrade repairs: asking its gates would block the repair (kubernetes#67250, I1). One after the
 * other: the next only when the one before has been created anew.
 */
export const replaceBroken: Rule = (seen, now) => {
  const broken = inPlace(seen).find((member) => !isCurrent(member, seen) && isBroken(member, seen, now));
  if (!broken || seen.paused || isMissing(seen) || seen.members.some((member) => member.terminating && !member.held))
    return undefined;
  const because = 'it is outdated and does not work, so that nothing is lost by replacing it';
  const actions = [takeDown(broken, because), ...(broken.held ? [release(broken, because)] : [])];
  return proceed('AwaitingReplacement', `replacing ${broken.name}, which is outdated and does not work`, {
    member: broken,
    actions,
  });
};

/**
 * The second gate: a member that has ended keeps its name until its data and role are safe elsewhere, so that an empty one does not come back and
 * lead (I6). Peers that are broken do not count, or they would block their own repair (I2).
 */
export const releaseEnded: Rule = (seen, now) => {
  const ended = seen.members.find((member) => member.terminating && member.held);
  if (!ended) return undefined;
  const underWay = seen.progress !== undefined;
  const letGo = (because: string): Verdict =>
    proceed('AwaitingReplacement', `${ended.name} is being replaced`, {
      member: ended,
      actions: [release(ended, because)],
    });
  const peers = inPlace(seen).filter((member) => member !== ended);
  if (!underWay || peers.length === 0) return letGo('nobody has to take over from it');
  const waiting = peers.find((member) => !member.ready && !isBroken(member, seen, now));
  if (waiting) {
    return proceed('AwaitingTermination', `${ended.name} waits for its peers`, {
      member: ended,
      blockedBy: `peer ${waiting.name} is not ready`,
      lookAgainAt: waiting.terminating ? now + gateIntervalMs : waiting.since + patienceWith(waiting, seen),
    });
  }
  const serving = peers.filter((member) => member.ready);
  if (!seen.can.role || serving.length === 0) return letGo('its peers carry its data');
  const roles = answersTo(
    serving.map((of) => ({ about: 'role', of })),
    seen,
  );
  if ('ask' in roles) return roles;
  if (roles.answers.some(({ ok }) => ok)) return letGo('its peers carry its data and its role');
  return proceed('AwaitingTermination', `${ended.name} waits for another leader`, {
    member: ended,
    blockedBy: `role: none of ${serving.map(({ name }) => name).join(', ')} leads`,
    lookAgainAt: now + gateIntervalMs,
  });
};

/** Nobody else goes down while a member is on its way out or not back yet (I8). */
export const awaitMissing: Rule = (seen) => {
  const leaving = seen.members.find((member) => member.terminating || member.ordinal >= seen.replicas);
  if (leaving) return proceed('AwaitingReplacement', `${leaving.name} is ending`, { member: leaving });
  if (!isMissing(seen)) return undefined;
  const present = new Set(seen.members.map(({ ordinal }) => ordinal));
  const missing = Array.from({ length: seen.replicas }, (_, ordinal) => ordinal).filter(
    (ordinal) => !present.has(ordinal),
  );
  return proceed(
    'AwaitingReplacement',
    `the members with the ordinals ${missing.join(', ')} have not been created yet`,
  );
};

/** Nobody else goes down while a member is not ready. An outdated one that stays so counts as broken after a while, so we look again then. */
export const awaitUnready: Rule = (seen, now) => {
  const unready = seen.members.filter((member) => !member.ready);
  const [first] = unready;
  if (!first) return undefined;
  const repairs = unready
    .filter((member) => !isCurrent(member, seen))
    .map((member) => Math.max(member.since + patienceWith(member, seen), now + 1000));
  const again = earliest(...repairs);
  return proceed('AwaitingReady', `${first.name} is not ready yet`, {
    member: first,
    ...(again === undefined ? {} : { lookAgainAt: again }),
  });
};

/**
 * Whether this is the member that the upgrade was about last: the replacement, unless it has not come yet. So it is remembered when something else is wanted, or
 * the upgrade is paused, before it has caught up.
 */
export function isLast(member: Member, { progress }: RolloutObservation): boolean {
  if (member.terminating || member.name !== progress?.pod) return false;
  return progress.step !== 'AwaitingReplacement' || member.uid !== progress.podUID;
}

/** The next member waits until the replacement of the last one has caught up, where that can be told. Whoever else is not ready does not make us forget it. */
export const awaitSync: Rule = (seen, now) => {
  const awaited = seen.members.find((member) => member.ready && isLast(member, seen) && isCurrent(member, seen));
  if (!seen.can.sync || !awaited) return undefined;
  const step = seen.progress?.step;
  if (step !== 'AwaitingReplacement' && step !== 'AwaitingReady' && step !== 'AwaitingSync') {
    // It may be one that was only prepared before something else was wanted, and so the leader, which lags behind nobody and need not say that it is in sync.
    if (!seen.can.role) return undefined;
    const role = answersTo([{ about: 'role', of: awaited }], seen);
    if ('ask' in role) return role;
    if (role.answers.some(({ ok, unknown }) => ok || unknown)) return undefined;
  }
  const answers = answersTo([{ about: 'sync', of: awaited }], seen);
  if ('ask' in answers) return answers;
  const no = answers.answers.find(({ ok }) => !ok);
  return no && blocked('AwaitingSync', no, { now, member: awaited, message: `${awaited.name} has not caught up yet` });
};
