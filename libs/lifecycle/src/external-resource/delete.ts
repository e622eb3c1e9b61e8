import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { ExternalDecision, ExternalObservation, ExternalStatus } from './decision.ts';
import { failedStatus } from './decision.ts';
import { jittered, nextPoll } from './poll.ts';
import { settleWindowMs, absenceOf, staleMs, withoutFuture } from './absence.ts';
import type { ExternalRecord } from './record.ts';
import { callWindowMs, known, mayExist, without, withoutLookUp } from './record.ts';
import type { ExternalView } from './system.ts';

/**
 * Decides the next step for a thing outside that should exist no more.
 *
 * **Expected flow.** Delete by ID, or whatever carries the owner's mark; poll until nothing of it is seen; done.
 *
 * **Guarantees.** `done` only when the provider has shown nothing of ours at two looks, apart for as long as it may be wrong, and everything that a creation
 * may have made must have shown by now (I23), or when the policy keeps it. What was never announced needs no call at all, and what was refused one look that may fail, so that wrong
 * credentials can't hold up a deletion (I26). Only what carries the owner's mark, or was taken over by name, is deleted. It works in every phase, and needs nothing but the record
 * (I18).
 *
 * Where the provider offers no look-ups, its answer to the deletion is believed.
 *
 * **Caveats.** While the provider can't be reached the owner stays. Removing its finalizer by hand is the way out; it leaves the thing behind.
 */
export function decideDelete<Desired, View extends ExternalView>(
  given: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  const seen = { ...given, record: given.record && withoutFuture(given.record, given.now) };
  const { lookup, noun, record, policy, owner, now } = seen;
  if (!policy.delete)
    return done(seen, 'Retained', `the ${noun} ${record?.id ?? ''} stays, as the deletion policy says`);
  const isShown = lookup.kind === 'answered' && lookup.views.some((view) => view.owner === owner);
  if (!mayExist(record) && !isShown) return done(seen, 'Gone', `there never was a ${noun}`);
  if (lookup.kind === 'skipped') {
    const message = `the ${noun} has not been looked for yet`;
    return {
      record,
      calls: [],
      externalStatus: { reason: 'Deleting', message, synced: 'Unknown', ready: 'False' },
      lookAgainAt: now,
    };
  }
  if (lookup.kind === 'failed') {
    const externalStatus = failedStatus(lookup.error, 'False');
    return { record, calls: [], externalStatus, lookAgainAt: now + jittered(seen.intervals.steadyMs, seen.random) };
  }
  if (lookup.kind === 'unsupported') return withoutLookUp(forNoLookUp(seen), seen, lookup);
  const found = record && foundByName(record, lookup.views);
  const ours = lookup.views.filter(
    (view) => view.owner === owner || (view.owner === undefined && view.id === found?.id),
  );
  const leaving = found && leavingSince(found, now);
  const externalStatus = {
    reason: 'Deleting',
    message: waitingFor(seen, ours),
    synced: 'True',
    ready: 'False',
  } as const;
  const remaining = ours.filter(({ state }) => state !== 'deleting').map(({ id }) => id);
  if (ours.length > 0) {
    const present = leaving && without(leaving, 'absentSince');
    const calls = remaining.map((id) => deletion(seen, id));
    return { ...moving({ ...seen, record: present }, externalStatus), view: ours[0], calls };
  }
  return forAbsence({ ...seen, record: leaving }, externalStatus, lookup.views);
}

/** The record of an import whose ID a restore has lost, with the ID of what bears its name and no owner's mark; any other record as it is. */
function foundByName(record: ExternalRecord, views: readonly ExternalView[]): ExternalRecord {
  const isSought = record.imported === true && record.id === undefined;
  const [view] = isSought ? views.filter(({ owner }) => owner === undefined) : [];
  return view ? known(record, view.id) : record;
}

/** The record of what is being deleted: since now, unless that was asked for before. */
function leavingSince(record: ExternalRecord, now: Instant): ExternalRecord {
  return { ...record, deleteRequestedAt: record.deleteRequestedAt ?? timestamp(now) };
}

/**
 * The provider shows nothing. What it has confirmed is believed. The ID of what it may have made is asked for with the same token: a provider that keeps tokens
 * makes nothing by that.
 */
function forNoLookUp<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
): ExternalDecision<Desired, View> {
  const { record, noun, now, owner, desired } = seen;
  if (record === undefined || record.deletedAt !== undefined)
    return done(seen, 'Gone', `the provider has confirmed that the ${noun} ${record?.id ?? ''} is gone`);
  const leaving = leavingSince(record, now);
  const { id, createAttemptedAt: earlier, token } = leaving;
  const message =
    id === undefined ? `asking again which ${noun} was made, to remove it` : `waiting for the ${noun} ${id} to be gone`;
  const externalStatus = { reason: 'Deleting', message, synced: 'True', ready: 'False' } as const;
  if (id !== undefined) return { ...moving({ ...seen, record: leaving }, externalStatus), calls: [deletion(seen, id)] };
  const call = { verb: 'create', token, owner, desired, notAfter: now + callWindowMs, earlier } as const;
  const asking = { ...leaving, createAttemptedAt: timestamp(now) };
  return { ...moving({ ...seen, record: asking }, externalStatus), calls: [{ call, because: message }] };
}

/** Nothing of ours is shown. That is believed when it has been so for as long as what may be out there can be hidden. */
function forAbsence<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  externalStatus: ExternalStatus,
  others: readonly View[],
): ExternalDecision<Desired, View> {
  const gone = done(seen, 'Gone', `the ${seen.noun} is gone`);
  if (seen.record === undefined) return gone;
  const { id } = seen.record;
  // What is shown with another's mark is not missing: no later look would tell more.
  const isAnothers = others.some((view) => view.id === id);
  const windowMs = isAnothers ? 0 : id === undefined ? settleWindowMs(seen.traits) : staleMs(seen.traits);
  const { record, isBelieved, lookAgainAt } = absenceOf(seen.record, windowMs, seen);
  if (isBelieved) return gone;
  // The provider may not show yet what a creation has made: ask for its deletion all the same.
  const isBlind = id !== undefined && !isAnothers && record.absentSince === undefined;
  const calls = isBlind ? [deletion(seen, id)] : [];
  return { ...moving({ ...seen, record }, externalStatus), calls, lookAgainAt };
}

const waitingFor = <Desired, View extends ExternalView>(
  { noun }: ExternalObservation<Desired, View>,
  ours: readonly View[],
): string =>
  ours.length === 0
    ? `making sure that no ${noun} shows up late`
    : `waiting for the ${noun} ${ours.map(({ id }) => id).join(', ')} to be gone`;

const deletion = <Desired, View extends ExternalView>(
  { policy, noun }: ExternalObservation<Desired, View>,
  id: string,
) => ({
  call: { verb: 'delete', id, finalSnapshot: policy.finalSnapshot } as const,
  because: `the ${noun} is not wanted any more`,
});

function done<Desired, View extends ExternalView>(
  { record }: ExternalObservation<Desired, View>,
  reason: 'Gone' | 'Retained',
  message: string,
): ExternalDecision<Desired, View> {
  return { record, calls: [], externalStatus: { reason, message, synced: 'True', ready: 'False' }, done: true };
}

function moving<Desired, View extends ExternalView>(
  seen: ExternalObservation<Desired, View>,
  externalStatus: ExternalStatus,
): ExternalDecision<Desired, View> {
  const since = instantOf(seen.record?.deleteRequestedAt) ?? seen.now;
  return { record: seen.record, calls: [], externalStatus, lookAgainAt: nextPoll({ ...seen, since }, seen.intervals) };
}
