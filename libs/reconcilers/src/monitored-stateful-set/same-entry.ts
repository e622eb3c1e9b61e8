import type { MonitorView } from './monitor.ts';
import type { PlaceDecision } from './registration.ts';
import type { Place } from './place.ts';

/**
 * Whether the monitor of the spec is another URL of a former one, so that both show one entry: removed at the one, it would be gone at the other.
 *
 * **Guarantees.** True only where both show it now, and it is the former one's (`showsEntryOf`).
 *
 * **Caveats.** A service that has taken over another one's data, or that lies, shows what the other shows. The entry at the other one then stays behind.
 */
export function isSameEntry(current: Place, here: Pick<PlaceDecision, 'view'>, former: Place): boolean {
  const isIt = ({ id, token }: MonitorView): boolean => id === here.view?.id && token === here.view.token;
  return showsEntryOf(former, current, here) && former.lookup.kind === 'answered' && former.lookup.views.some(isIt);
}

/**
 * Whether the monitor of the spec shows an entry with the ID and the token of the one at a former monitor, and the set has asked for an entry at one of the two at most. Each
 * registration has a token of its own, so two services that count their entries alike do not show the same one. Where a service shows no tokens, that no entry was ever asked
 * for at the one of them has to do.
 */
export function showsEntryOf(former: Place, current: Place, { view }: Pick<PlaceDecision, 'view'>): boolean {
  const isAskedForTwice =
    current.record?.createAttemptedAt !== undefined && former.record?.createAttemptedAt !== undefined;
  if (view === undefined || isAskedForTwice || former.record?.id !== view.id) return false;
  return view.token === undefined || view.token === former.record.token;
}

/**
 * Whether that can't be known: two monitors without look-ups have answered with the same ID. They may be one service, or two that count alike, or that make the ID of the name. Removed at the
 * one it could be gone at the other, so both stay until the set goes.
 */
export function mayBeSameEntry(current: Place, { record }: Pick<PlaceDecision, 'record'>, former: Place): boolean {
  const isUnseen = current.lookup.kind === 'unsupported' && former.lookup.kind === 'unsupported';
  return (
    isUnseen && record?.id !== undefined && record.id === former.record?.id && former.record.deletedAt === undefined
  );
}
