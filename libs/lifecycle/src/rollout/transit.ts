import { earliest, isOver } from '../decision/index.ts';
import { checkIntervalMs } from './ask-again.ts';
import { mayFollow } from './canaries.ts';
import { membersBehind } from './catch-up.ts';
import type { Member } from './member.ts';
import { isOpened } from './opened.ts';
import type { Rule, Verdict } from './outcome.ts';
import { answersOf, blocked, failedAmong, isCurrent, proceed, release, isKept, takeDown } from './outcome.ts';
import type { RolloutObservation } from './observation.ts';

/** How long a member may be unready before it counts as broken, in milliseconds; half as long as the deadline where that is less. */
export const brokenAfterMs = 30_000;

/**
 * How long this member may be unready before it counts as broken. What a rollback is there to repair is known to be broken. For others there has to be time
 * left for the repair before the deadline ends it.
 */
const patienceWith = ({ revision }: Member, { failedRevision, deadlineMs }: RolloutObservation): number =>
  revision === failedRevision ? 0 : Math.min(brokenAfterMs, deadlineMs / 2);

/** Whether a member has been unready for so long that it is repaired without a question. */
export const isBroken = (member: Member, seen: RolloutObservation, now: number): boolean =>
  !member.ready && !member.terminating && isOver(member.since, patienceWith(member, seen), now);

const inPlace = (seen: RolloutObservation): readonly Member[] =>
  seen.members.filter(({ ordinal }) => ordinal < seen.replicas);

/** The ordinals whose members are not there, of those that stay; and of those whose pods the set is about to take up. */
function missingIn(seen: RolloutObservation): readonly number[] {
  const { members, replicas, unclaimed = [] } = seen;
  const present = new Set(members.map(({ ordinal }) => ordinal));
  return Array.from({ length: replicas }, (_, ordinal) => ordinal).filter(
    (ordinal) => !present.has(ordinal) && (isKept({ ordinal }, seen) || unclaimed.includes(ordinal)),
  );
}

/** Whether a member is missing that the set makes before it makes this one again. In order, it makes those above only when this one is ready. */
const isMissingBefore = ({ ordinal }: Member, seen: RolloutObservation): boolean =>
  missingIn(seen).some((missing) => seen.isOrdered !== true || missing < ordinal);

/** It is to leave, and has not served for so long that the rollout does not wait for it. */
const isUseless = (member: Member, seen: RolloutObservation, now: number): boolean =>
  !isKept(member, seen) && isBroken(member, seen, now);

/** A member that went now could come back outdated: wait until the StatefulSet's controller knows what to create. */
export const awaitSet: Rule = (seen) =>
  seen.setIsCurrent
    ? undefined
    : proceed('Starting', 'waiting until the StatefulSet has the new template, and its controller observes it');

/**
 * A broken member of another revision is what the upgrade repairs: asking its gates would block the repair (kubernetes#67250, I1). One after the
 * other: the next only when the one before has been created again.
 */
export const replaceBroken: Rule = (seen, now) => {
  const broken = inPlace(seen).find((member) => !isCurrent(member, seen) && isBroken(member, seen, now));
  if (
    !broken ||
    seen.paused ||
    !mayFollow(seen) ||
    isMissingBefore(broken, seen) ||
    seen.members.some((member) => member.terminating && !member.held)
  )
    return undefined;
  const because = 'it is outdated and does not work, so that nothing is lost by replacing it';
  const actions = [takeDown(broken, because), ...(broken.held ? [release(broken, because, seen)] : [])];
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
  const removeFinalizer = (because: string): Verdict =>
    proceed('AwaitingReplacement', `${ended.name} is being replaced`, {
      member: ended,
      actions: [release(ended, because, seen)],
    });
  const peers = inPlace(seen).filter((member) => member !== ended);
  if (!underWay || peers.length === 0) return removeFinalizer('no member has to take over from it');
  // Those that end and are held wait for the same as this one.
  const unready = peers.filter(({ ready, terminating, held }) => !ready && !(terminating && held));
  const awaited = unready.filter((member) => !isBroken(member, seen, now));
  const [waiting] = awaited;
  if (waiting && awaited.length >= (seen.maxUnavailable ?? 1)) {
    return proceed('AwaitingTermination', `${ended.name} waits for its peers`, {
      member: ended,
      blockedBy: `peer ${waiting.name} is not ready${waiting.cause === undefined ? '' : `: ${waiting.cause}`}`,
      lookAgainAt: waiting.terminating ? now + checkIntervalMs : waiting.since + patienceWith(waiting, seen),
    });
  }
  const serving = peers.filter((member) => member.ready);
  if (serving.length === 0) return removeFinalizer('no member serves that could take over from it');
  if (!seen.can.role) return awaitData(ended, serving, seen, now) ?? removeFinalizer('its peers carry its data');
  const roles = answersOf('role', serving, seen);
  if ('ask' in roles) return roles;
  if (roles.answers.some(({ ok }) => ok)) return removeFinalizer('its peers carry its data and its role');
  // A member that can't say that it leads will not: a user has to decide, and may have decided already. An election that is under way has the time in which a member counts as broken.
  const isUnknown = roles.answers.some(({ unknown }) => unknown);
  const isDecided = isOpened(ended, seen);
  if (isDecided && (isUnknown || isOver(ended.since, brokenAfterMs, now)))
    return removeFinalizer('its gates were opened by hand');
  const electedBy = isDecided ? ended.since + brokenAfterMs : undefined;
  return proceed('AwaitingTermination', `${ended.name} waits for another leader`, {
    member: ended,
    blockedBy: `role: none of ${serving.map(({ name }) => name).join(', ')} leads`,
    ...failedAmong(roles.answers, 'AwaitingTermination', { seen, now, member: ended }),
    lookAgainAt: earliest(now + checkIntervalMs, electedBy) ?? now + checkIntervalMs,
    release: 'gate',
  });
};

/** Where no member is asked which one leads: one of those that serve has all data. Undefined where that is so, where it is not known, or a user has decided. */
function awaitData(
  ended: Member,
  serving: readonly Member[],
  seen: RolloutObservation,
  now: number,
): Verdict | undefined {
  if (!seen.can.sync || isOpened(ended, seen)) return undefined;
  const syncs = answersOf('sync', serving, seen);
  if ('ask' in syncs) return syncs;
  const [no] = syncs.answers;
  if (no === undefined || syncs.answers.some(({ ok }) => ok)) return undefined;
  const message = `${ended.name} waits for a peer that has all data`;
  return blocked('AwaitingTermination', no, { seen, now, member: ended, message, release: 'gate' });
}

/**
 * A member that is to leave and does not serve is deleted without a question, as soon as all that stay serve: its gates would never open, and what it waits for may never come, as where
 * the set has grown beyond what can start.
 */
export const dropUnneeded: Rule = (seen, now) => {
  const ordinal = seen.replicas - 1;
  if (isKept({ ordinal }, seen)) return undefined;
  const last = seen.members.find((member) => member.ordinal === ordinal);
  const isUnneeded = last ? isUseless(last, seen, now) : !seen.unclaimed?.includes(ordinal);
  const serving = seen.members.filter((member) => isKept(member, seen) && member.ready);
  if (!isUnneeded || serving.length < seen.wantedReplicas) return undefined;
  const who = last?.name ?? `the member with the ordinal ${ordinal}, which is not there,`;
  const rest = { replicas: ordinal, unasked: true, ...(last ? { member: last } : {}) };
  return proceed('TakingDown', `${who} leaves for good: it does not serve`, rest);
};

/** No other member is taken down while one terminates or is not back yet (I8). */
export const awaitMissing: Rule = (seen) => {
  const leaving = seen.members.find((member) => member.terminating || member.ordinal >= seen.replicas);
  if (leaving) return proceed('AwaitingReplacement', `${leaving.name} is ending`, { member: leaving });
  const missing = missingIn(seen);
  if (missing.length === 0) return undefined;
  return proceed(
    'AwaitingReplacement',
    `the members with the ordinals ${missing.join(', ')} have not been created yet`,
  );
};

/** No other member is taken down while one is not ready. An outdated one that stays so, or one that is to leave, counts as broken after a while, so we look again then. */
export const awaitUnready: Rule = (seen, now) => {
  const unready = seen.members.filter((member) => !member.ready && !isUseless(member, seen, now));
  const [first] = unready;
  if (!first) return undefined;
  const repairs = unready
    .filter((member) => !isCurrent(member, seen) || !isKept(member, seen))
    .map((member) => Math.max(member.since + patienceWith(member, seen), now + 1000));
  const again = earliest(...repairs);
  return proceed('AwaitingReady', `${first.name} is not ready yet`, {
    member: first,
    ...(first.cause === undefined ? {} : { blockedBy: `${first.name}: ${first.cause}` }),
    ...(again === undefined ? {} : { lookAgainAt: again }),
  });
};

/** No other member goes down while one has been ready for less than the set asks for: it is not available yet. */
export const awaitMinReady: Rule = ({ minReadyMs = 0, members }, now) => {
  const young = members.find(({ ready, since }) => ready && !isOver(since, minReadyMs, now));
  if (minReadyMs === 0 || !young) return undefined;
  return proceed('AwaitingReady', `${young.name} has not been ready for long enough yet`, {
    member: young,
    lookAgainAt: Math.max(young.since + minReadyMs, now + 1000),
  });
};

/** The same, and an upgrade is not over before. Where none is under way, and the set does not shrink, nothing waits for it. */
export const awaitAvailable: Rule = (seen, now) =>
  seen.progress === undefined && seen.replicas <= seen.wantedReplicas ? undefined : awaitMinReady(seen, now);

/** The next member waits until every replacement that stays has caught up, where that is known. Another member that is not ready does not make us forget it. */
export const awaitSync: Rule = (seen, now) => {
  const found = membersBehind(seen);
  if ('ask' in found) return found;
  const no = found.lags.find(({ question: { of } }) => isCurrent(of, seen) && isKept(of, seen));
  if (!no) return undefined;
  const { of: member } = no.question;
  return blocked('AwaitingSync', no, { seen, now, member, message: `${member.name} has not caught up yet` });
};
