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
 * The managed fields of an object of whose spec one manager takes over what all others have set: it owns that by server-side apply, so that its next apply removes what it does not
 * name. Without that, fields of a former manager stay forever. Metadata, such as labels and annotations, and fields of subresources stay with their managers.
 */
export function takenOver(
  entries: readonly ManagedFieldsEntry[],
  { manager, apiVersion, now }: { readonly manager: string; readonly apiVersion: string; readonly now: Instant },
): readonly ManagedFieldsEntry[] {
  const split = entries.map((entry) => {
    if ((entry.subresource ?? '') !== '' || !isFields(entry.fieldsV1)) return { left: entry, spec: {} };
    const { 'f:spec': spec, ...fieldsV1 } = entry.fieldsV1;
    return {
      left: Object.keys(fieldsV1).length > 0 ? { ...entry, fieldsV1 } : undefined,
      spec: isFields(spec) ? spec : {},
    };
  });
  const fieldsV1 = { 'f:spec': split.reduce<Fields>((all, { spec }) => union(all, spec), {}) };
  const time = timestamp(now);
  return [
    { manager, operation: 'Apply', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 },
    ...split.flatMap(({ left }) => left ?? []),
  ];
}
