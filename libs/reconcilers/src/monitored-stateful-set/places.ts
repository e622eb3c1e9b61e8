import { failedStatus, jittered, retainedStatus } from '../external-resource/index.ts';
import { isOneTooMany, tooManyFormer, tooManyText } from './place-limit.ts';
import { decideCurrent, decideFormer } from './registration.ts';
import type { Circumstances, PlaceDecision, PlaceStanding } from './registration.ts';
import type { Place } from './place.ts';
import { isSameEntry, mayBeSameEntry } from './same-entry.ts';

/**
 * Decides for all monitors of a set, the one that the spec names first.
 *
 * **Guarantees.** New first: a former entry is removed only while the one at the endpoint of the spec is seen. Where the status has no room for that endpoint, nothing is done there, and the
 * set keeps an entry that a former monitor shows.
 */
export function decidePlaces(current: Place, former: readonly Place[], about: Circumstances): readonly PlaceDecision[] {
  if (isOneTooMany(current, about.set)) return decideFull(current, former, about);
  const here = decideCurrent(
    current,
    about,
    former.map(({ record }) => record),
  );
  const isSeen =
    here.externalStatus.reason === 'Available' ||
    (here.view !== undefined && here.calls.every(({ call }) => call.verb === 'update'));
  return [here, ...former.map((place) => (isSeen ? leaveBeside({ current, here }, place, about) : untouched(place)))];
}

/** The monitor at which the set stays, and what is decided for it. */
interface Kept {
  readonly current: Place;
  readonly here: PlaceDecision;
}

/** Removes the entry at a former monitor, unless it is the one that stays. */
function leaveBeside({ current, here }: Kept, place: Place, about: Circumstances): PlaceDecision {
  if (isSameEntry(current, here, place)) return sameAs(here, place);
  if (mayBeSameEntry(current, here, place)) return keptBoth(here, place);
  return decideFormer(place, about, [here.record]);
}

/** What is done while the status has no room for the monitor of the spec: the first of the others that shows an entry stays, and the rest are cleaned up. */
function decideFull(wanted: Place, recorded: readonly Place[], about: Circumstances): readonly PlaceDecision[] {
  const kept = recorded.find(showsEntry);
  const there = recorded.map((place) => {
    if (kept === undefined) return withoutCalls(place, about);
    const here = { ...untouched(kept), view: viewIn(kept) };
    return place === kept ? here : leaveBeside({ current: kept, here }, place, about);
  });
  const externalStatus: PlaceStanding = {
    ...{ reason: tooManyFormer, message: tooManyText(wanted, recorded, kept) },
    ...{ synced: 'False', ready: 'False', retry: 'wait' },
  };
  const lookAgainAt = about.now + jittered(about.intervals.steadyMs, about.random);
  const { endpoint } = wanted;
  return [{ endpoint, record: undefined, calls: [], credentials: undefined, externalStatus, lookAgainAt }, ...there];
}

const viewIn = ({ lookup }: Place): PlaceDecision['view'] =>
  lookup.kind === 'seen' ? lookup.views.find(({ state }) => state !== 'deleting') : undefined;

const showsEntry = (place: Place): boolean =>
  viewIn(place) !== undefined ||
  (place.lookup.kind === 'blind' && place.record?.id !== undefined && place.record.deletedAt === undefined);

/** What shows nothing is forgotten when that is believed, and nothing is removed: no other entry is seen. */
function withoutCalls(place: Place, about: Circumstances): PlaceDecision {
  const decided = decideFormer(place, about);
  if (decided.calls.length === 0) return decided;
  return place.lookup.kind === 'seen' ? { ...decided, calls: [] } : untouched(place);
}

const sameAs = ({ endpoint }: PlaceDecision, former: Place): PlaceDecision => {
  const message = `${former.endpoint} shows the entry that ${endpoint} shows: it stays, and the former URL is forgotten`;
  return { ...untouched(former), externalStatus: retainedStatus(message), done: true };
};

const keptBoth = ({ endpoint, record }: PlaceDecision, former: Place): PlaceDecision => {
  const message = `${former.endpoint} and ${endpoint} have both answered with the ID ${record?.id ?? ''} and offer no look-ups: it may be one entry, so both are removed with the set only`;
  return { ...untouched(former), externalStatus: retainedStatus(message) };
};

/** Nothing is done there. That it can't be asked is said all the same. */
function untouched({ endpoint, record, lookup }: Place): PlaceDecision {
  const kept = { reason: 'Available', message: 'kept until the new registration is seen', ready: 'True' } as const;
  const externalStatus: PlaceStanding =
    lookup.kind === 'unknown' ? failedStatus(lookup.error, 'Unknown') : { ...kept, synced: 'True' };
  return { endpoint, record, calls: [], credentials: record?.credentialsSecretRef, externalStatus };
}
