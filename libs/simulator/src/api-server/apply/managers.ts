import type { ManagedFieldsEntry } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { Fields } from './fields.ts';
import { isEmptySet, noFields } from './fields.ts';
import type { SharedFields } from './shared-fields.ts';

/** Who manages fields, and how: one entry of `managedFields` without what it owns. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

/** What a manager owns, as of when. */
export interface Managed extends ManagerName {
  readonly fields: Fields;
  readonly time: string | undefined;
}

/** Managers by their identity. */
export type Managers = Map<string, Managed>;

/** What distinguishes managers: an applier is the same in every version. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerName): string {
  return `${operation} ${operation === 'Apply' ? '' : apiVersion} ${subresource} ${manager}`;
}

/** Reads `metadata.managedFields`. Entries that are no managed fields are left out. */
export function decodeManagers(entries: unknown): Managers {
  const managers: Managers = new Map();
  if (!Array.isArray(entries)) return managers;
  for (const entry of entries as readonly ManagedFieldsEntry[]) {
    if (entry.operation === undefined || entry.apiVersion === undefined) continue;
    const managed: Managed = {
      manager: entry.manager ?? '',
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      subresource: entry.subresource ?? '',
      // Their form is that of a set of fields.
      fields: isObject(entry.fieldsV1) ? (entry.fieldsV1 as unknown as Fields) : noFields,
      time: entry.time,
    };
    managers.set(managerId(managed), managed);
  }
  return managers;
}

/**
 * Writes `metadata.managedFields` in the server's order: appliers first, then by time, manager, version and subresource. `shared` gives the one object
 * that stands for a set.
 */
export function encodeManagers(managers: Managers, shared: SharedFields): readonly ManagedFieldsEntry[] {
  const sorted = [...managers.values()].sort(
    (left, right) =>
      order(left.operation, right.operation) ||
      order(left.time ?? '', right.time ?? '') ||
      order(left.manager, right.manager) ||
      order(left.apiVersion, right.apiVersion) ||
      order(left.subresource, right.subresource),
  );
  return sorted.map(({ manager, operation, apiVersion, subresource, fields, time }) => ({
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: shared.share(fields),
    ...(subresource !== '' && { subresource }),
  }));
}

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Whether a client asks to forget all managers: by one empty entry. */
export function asksForReset(entries: unknown): boolean {
  return (
    Array.isArray(entries) &&
    entries.length === 1 &&
    isObject(entries[0]) &&
    isEmptySet(entries[0] as unknown as Fields)
  );
}
