import { failedStatus, jittered, retainedStatus } from '@ordinal/lifecycle';
import { isOneTooMany, tooManyFormer, tooManyText } from './place-limit.ts';
import { decideCurrent, decideFormer } from './registration.ts';
import type { Circumstances, PlaceDecision, PlaceStatus } from './registration.ts';
import type { Place } from './place.ts';
import { isSameEntry, mayBeSameEntry, showsEntryOf } from './same-entry.ts';

/**
 * Decides for all monitors of a set, the one that the spec names first.
 *
 * **Guarantees.** New first: a former entry is removed only while the one at the endpoint of the spec is seen. Where the status has no room for that endpoint,
 * nothing is done there, and the set keeps an entry that a former monitor shows.
 */
export function decidePlaces(current: Place, former: readonly Place[], about: Circumstances): readonly PlaceDecision[] {
  if (isOneTooMany(current, about.set)) return decideFull(current, former, about);
  const here = decideCurrent(
    current,
    about,
    former.map(({ record }) => record),
  );
  return [
    here,
    ...former.map((place) => (isSeen(here) ? removeBeside({ current, here }, place, about) : untouched(place))),
  ];
}

/** The monitor at which the set stays, and what is decided for it. */
interface Kept {
  readonly current: Place;
  readonly here: PlaceDecision;
}

/**
 * Removes the entry at a former monitor, unless it is the one that stays. What is not shown there now, and is shown at the one that stays, is not asked to be removed: a monitor
 * that shows an entry late may have it. It is forgotten when its absence is believed.
 */
function removeBeside({ current, here }: Kept, place: Place, about: Circumstances): PlaceDecision {
  if (isSameEntry(current, here, place)) return sameAs(here, place);
  if (mayBeSameEntry(current, here, place)) return keptBoth(here, place);
  const decided = decideFormer(place, about, [here.record]);
  if (!showsEntryOf(place, current, here) || shows(place, here.view?.id)) return decided;
  return { ...decided, calls: decided.calls.filter(({ call }) => call.verb !== 'delete' || call.id !== here.view?.id) };
}

const shows = ({ lookup }: Place, id: string | undefined): boolean =>
  lookup.kind === 'answered' && lookup.views.some((view) => view.id === id);

/** Whether an entry of the set is seen at a monitor, and nothing but an update is left to do there. */
const isSeen = ({ externalStatus, view, calls }: PlaceDecision): boolean =>
  externalStatus.reason === 'Available' || (view !== undefined && calls.every(({ call }) => call.verb === 'update'));

/** What is done while the status has no room for the monitor of the spec: the first of the others at which an entry of the set is seen stays, and the rest are cleaned up. */
function decideFull(wanted: Place, recorded: readonly Place[], about: Circumstances): readonly PlaceDecision[] {
  const beside = (place: Place) => recorded.filter((one) => one !== place).map(({ record }) => record);
  const kept = recorded
    .map((current) => ({ current, here: decideCurrent(current, about, beside(current)) }))
    .find(({ here }) => isSeen(here));
  const there = recorded.map((place) => {
    if (kept === undefined) return withoutCalls(place, about);
    return place === kept.current ? kept.here : removeBeside(kept, place, about);
  });
  const externalStatus: PlaceStatus = {
    ...{ reason: tooManyFormer, message: tooManyText(wanted, recorded, kept?.current) },
    ...{ synced: 'False', ready: 'False', retry: 'wait' },
  };
  const lookAgainAt = about.now + jittered(about.intervals.steadyMs, about.random);
  const { endpoint } = wanted;
  return [{ endpoint, record: undefined, calls: [], credentials: undefined, externalStatus, lookAgainAt }, ...there];
}

/** What shows nothing is forgotten when that is believed, and nothing is removed: no other entry is seen. */
function withoutCalls(place: Place, about: Circumstances): PlaceDecision {
  const decided = decideFormer(place, about);
  if (decided.calls.length === 0) return decided;
  return place.lookup.kind === 'answered' ? { ...decided, calls: [] } : untouched(place);
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
  const externalStatus: PlaceStatus =
    lookup.kind === 'failed' ? failedStatus(lookup.error, 'Unknown') : { ...kept, synced: 'True' };
  return { endpoint, record, calls: [], credentials: record?.credentialsSecretRef, externalStatus };
}
