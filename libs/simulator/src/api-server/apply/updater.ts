import { sameJson } from '@ordinal/client';
import type { TypeNode } from '../schema/type-node.ts';
import type { Comparison } from './compare.ts';
import { compare } from './compare.ts';
import { fieldSetOf } from './field-set.ts';
import { difference, intersection, isEmptySet, noFields, recursiveDifference, union } from './fields.ts';
import type { Fields } from './fields.ts';
import { merge } from './merge.ts';
import type { Managed, Managers } from './managers.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove.ts';

/** What a change of an object is computed against. */
export interface UpdateContext {
  /** The version of the request. */
  readonly apiVersion: string;
  /** The type in each version; undefined for versions that are gone, whose managers are forgotten. */
  readonly typeOf: (apiVersion: string) => TypeNode | undefined;
  /** Fields that this endpoint resets, and so never owns. */
  readonly ignored: Fields;
  /** An object in another version; absent where versions differ in nothing but their name. */
  readonly convert?: (object: unknown, apiVersion: string) => unknown;
}

const inVersion = ({ convert }: UpdateContext, object: unknown, apiVersion: string): unknown =>
  convert === undefined ? object : convert(object, apiVersion);

/** The fields that others own and that an apply would change, by manager. */
export type Conflicts = ReadonlyMap<string, { readonly manager: Managed; readonly fields: Fields }>;

/** The outcome of an apply. `object` is undefined where nothing changes. */
export type ApplyOutcome =
  { readonly object: unknown; readonly managers: Managers } | { readonly conflicts: Conflicts };

const exclude = (comparison: Comparison, ignored: Fields): Comparison =>
  isEmptySet(ignored)
    ? comparison
    : {
        added: recursiveDifference(comparison.added, ignored),
        modified: recursiveDifference(comparison.modified, ignored),
        removed: recursiveDifference(comparison.removed, ignored),
      };

const typeFor = (context: UpdateContext): TypeNode => {
  const type = context.typeOf(context.apiVersion);
  if (type === undefined) throw new TypeError(`no type for ${context.apiVersion}`);
  return type;
};

/** Takes from managers what changed without them; with `force` undefined, conflicts instead. */
function settle(
  context: UpdateContext,
  objects: { readonly before: unknown; readonly after: unknown },
  { managers, self, force }: { readonly managers: Managers; readonly self: string; readonly force: boolean },
): { readonly managers: Managers; readonly comparison: Comparison } | { readonly conflicts: Conflicts } {
  const byVersion = new Map<string, Comparison & { readonly set: Fields }>();
  const comparisonAt = (apiVersion: string): (Comparison & { readonly set: Fields }) | undefined => {
    let known = byVersion.get(apiVersion);
    const type = context.typeOf(apiVersion);
    if (known === undefined && type !== undefined) {
      const before = inVersion(context, objects.before, apiVersion);
      const after = inVersion(context, objects.after, apiVersion);
      const changes = exclude(compare(type, before, after), context.ignored);
      known = { ...changes, set: union(changes.modified, changes.added) };
      byVersion.set(apiVersion, known);
    }
    return known;
  };
  const comparison = comparisonAt(context.apiVersion) ?? { added: noFields, modified: noFields, removed: noFields };
  const result: Managers = new Map();
  const conflicts = new Map<string, { manager: Managed; fields: Fields }>();
  for (const [id, managed] of managers) {
    if (id === self) {
      if (!isEmptySet(managed.fields)) result.set(id, managed);
      continue;
    }
    const changes = comparisonAt(managed.apiVersion);
    if (changes === undefined) continue;
    const taken = intersection(managed.fields, changes.set);
    if (!isEmptySet(taken)) conflicts.set(id, { manager: managed, fields: taken });
    const fields = difference(difference(managed.fields, taken), changes.removed);
    if (!isEmptySet(fields)) result.set(id, fields === managed.fields ? managed : { ...managed, fields });
  }
  if (!force && conflicts.size > 0) return { conflicts };
  return { managers: result, comparison };
}

/** Managers after an update, and what the update itself set (empty where it set nothing). */
export function trackUpdate(
  context: UpdateContext,
  objects: { readonly before: unknown; readonly after: unknown },
  managers: Managers,
): { readonly managers: Managers; readonly own: Fields } {
  const settled = settle(context, objects, { managers, self: '', force: true });
  if ('conflicts' in settled) return { managers, own: noFields };
  const { added, modified } = settled.comparison;
  return { managers: settled.managers, own: recursiveDifference(union(modified, added), context.ignored) };
}

/**
 * Applies a configuration: merges it, drops what its manager applied before and no longer does and no other manager owns, and takes ownership. Where others
 * own what it would change, and `force` is not set, gives the conflicts.
 */
export function applyConfiguration(
  context: UpdateContext,
  { live, applied }: { readonly live: unknown; readonly applied: unknown },
  {
    managers,
    self,
    force,
  }: { readonly managers: Managers; readonly self: Managed & { readonly id: string }; readonly force: boolean },
): ApplyOutcome {
  const type = typeFor(context);
  const merged = merge(type, live, applied);
  const last = managers.get(self.id);
  const { id, ...own } = self;
  const next: Managers = new Map(managers);
  next.set(id, { ...own, fields: recursiveDifference(fieldSetOf(type, applied), context.ignored) });
  const pruned =
    last === undefined || isEmptySet(last.fields) ? merged : prune(context, merged, { managers: next, last });
  const settled = settle(context, { before: live, after: pruned }, { managers: next, self: id, force });
  if ('conflicts' in settled) return settled;
  return { object: sameJson(live, pruned) ? undefined : pruned, managers: settled.managers };
}

/** Removes what was applied last time, then adds back what anyone owns, and what was not the applier's. */
function prune(
  context: UpdateContext,
  whole: unknown,
  { managers, last }: { readonly managers: Managers; readonly last: Managed },
): unknown {
  const type = context.typeOf(last.apiVersion);
  if (type === undefined) return whole;
  const merged = inVersion(context, whole, last.apiVersion);
  const lastFields = withNamedFields(type, last.fields);
  const mergedFields = withNamedFields(type, fieldSetOf(type, merged));
  const removed = removeFields(type, merged, lastFields);
  const owned = new Map<string, Fields>();
  for (const managed of managers.values())
    owned.set(managed.apiVersion, union(owned.get(managed.apiVersion) ?? noFields, managed.fields));
  const kept = addBackOwned(context, { merged, pruned: removed, owned, first: last.apiVersion });
  const pruned = inVersion(context, kept, last.apiVersion);
  const prunedFields = withNamedFields(type, fieldSetOf(type, pruned));
  const left = removeFields(type, merged, intersection(difference(mergedFields, prunedFields), lastFields));
  return inVersion(context, left, context.apiVersion);
}

/** Adds back what managers of each version own: those of the version that was applied last come first, as in the original. */
function addBackOwned(
  context: UpdateContext,
  {
    first,
    owned,
    ...start
  }: {
    readonly merged: unknown;
    readonly pruned: unknown;
    readonly owned: ReadonlyMap<string, Fields>;
    readonly first: string;
  },
): unknown {
  let { merged, pruned } = start;
  const versions = [...owned.keys()].sort((left, right) => Number(right === first) - Number(left === first));
  for (const version of versions) {
    const type = context.typeOf(version);
    if (type === undefined) continue;
    merged = inVersion(context, merged, version);
    pruned = inVersion(context, pruned, version);
    const kept = union(
      withNamedFields(type, fieldSetOf(type, pruned)),
      withNamedFields(type, owned.get(version) ?? noFields),
    );
    pruned = removeFields(type, merged, difference(withNamedFields(type, fieldSetOf(type, merged)), kept));
  }
  return pruned;
}
