import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Recorded } from './credentials.ts';
import type { Place } from './place.ts';

/** How many monitors may hold an entry for a set: no other one is called while the status has so many, since the entry there could not be recorded before it is made. */
const maxPlaces = 16;

/** How many a status takes (`maxItems`): one more, where a restore of the API server's store may have lost the record of an entry. */
const maxRecorded = maxPlaces + 1;

/** The reason of the conditions of a set that is not registered at the monitor of its spec because too many former ones may hold an entry. */
export const tooManyFormer = 'TooManyFormerMonitors';

/** Whether a monitor is not to be called, because the status has no room to record that it may hold an entry. One that is recorded has its room. */
export function isOneTooMany(
  { endpoint, record }: Pick<Recorded, 'endpoint' | 'record'>,
  { status }: Pick<MonitoredStatefulSet, 'status'>,
): boolean {
  const recorded = status?.registrations ?? [];
  if (recorded.some((one) => one.endpoint === endpoint)) return false;
  return recorded.length >= (record === undefined ? maxPlaces : maxRecorded);
}

/**
 * Those of the records that a status takes. There are more only after several restores of the API server's store, each while the spec named another monitor.
 * Then what the status did not have before waits for room, so that no write of the status fails and nothing that was recorded is forgotten.
 */
export function recordable<One extends { readonly endpoint: string }>(
  records: readonly One[],
  before: readonly { readonly endpoint: string }[] = [],
): readonly One[] {
  if (records.length <= maxRecorded) return records;
  return records.filter(({ endpoint }) => before.some((one) => one.endpoint === endpoint));
}

/** How much of a URL a message shows, in characters. */
const shownLength = 200;

const shown = (url: string): string => (url.length > shownLength ? `${url.slice(0, shownLength - 1)}…` : url);

/** A monitor that is to be cleaned up, and what is known of why it is not. */
function stateOf({ endpoint, record, lookup }: Place): string {
  if (lookup.kind === 'failed') return `${shown(endpoint)} (${lookup.error.code})`;
  const asked = record?.deleteRequestedAt;
  return asked === undefined ? shown(endpoint) : `${shown(endpoint)} (to be removed since ${asked})`;
}

/** Why nothing is registered at the monitor of the spec, and what to do. `kept` is the monitor at which the set stays registered meanwhile, where one shows it. */
export function tooManyText(wanted: Place, recorded: readonly Place[], kept: Place | undefined): string {
  const keptText = kept === undefined ? '' : `; the set stays registered at ${shown(kept.endpoint)}`;
  const others = recorded.filter((place) => place !== kept);
  return (
    `${recorded.length} monitors may hold an entry of this set, as many as the status records: nothing is registered at ${shown(wanted.endpoint)} before one of them is cleaned up${keptText}. ` +
    `To be cleaned up: ${others.map(stateOf).join(', ')}. ` +
    `Have one of them answer and accept the token that its entry was made with, or set spec.monitorEndpoint back to one of them`
  );
}
