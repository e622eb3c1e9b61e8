import type { ManagedFieldsEntry } from './object.ts';
import type { Instant } from './clock.ts';
import { timestamp } from './timestamp.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function union(some: Fields, others: Fields): Fields {
  const merged: Record<string, unknown> = { ...some };
  for (const [key, value] of Object.entries(others)) {
    const known = merged[key];
    merged[key] = isFields(known) && isFields(value) ? union(known, value) : value;
  }
  return merged;
}

/**
 * The managed fields of an object that one manager takes over from all others: it owns by server-side apply what any of them has set, so that its next apply removes what it does not
 * name. Without that, fields of a former manager stay forever. Fields of subresources stay with their managers.
 */
export function takenOver(
  entries: readonly ManagedFieldsEntry[],
  { manager, apiVersion, now }: { readonly manager: string; readonly apiVersion: string; readonly now: Instant },
): readonly ManagedFieldsEntry[] {
  const ofSubresources = entries.filter(({ subresource = '' }) => subresource !== '');
  const fieldsV1 = entries
    .filter((entry) => !ofSubresources.includes(entry))
    .reduce<Fields>((all, entry) => (isFields(entry.fieldsV1) ? union(all, entry.fieldsV1) : all), {});
  const time = timestamp(now);
  return [{ manager, operation: 'Apply', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }, ...ofSubresources];
}
