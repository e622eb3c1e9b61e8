import { isObject, ownField, setField } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { entryType } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { badRequest, unforeseen } from '../status.ts';
import { without } from '../kinds/spec.ts';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deleteFromList = '$deleteFromPrimitiveList/';
const setOrder = '$setElementOrder/';

/** Strategic merge patch: lists merge by their key where the type says so. Parts that the patch does not touch are shared with the original. */
export function strategicMergePatch(type: TypeNode, original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw badRequest('cannot unmarshal patch into an object');
  return mergeMaps(type.map, isObject(original) ? original : {}, patch);
}

function mergeMaps(map: MapForm | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  if (patch[directive] === 'replace') return withoutDirectives(patch);
  if (patch[directive] === 'delete') return {};
  checkDirectives(patch);
  const removed = Object.keys(patch).filter((key) => patch[key] === null);
  const result: JsonObject = { ...without(keep(original, patch[retainKeys]), ...removed) };
  for (const [key, value] of Object.entries(patch)) {
    if (key === directive || key === retainKeys || key.startsWith(setOrder)) continue;
    if (key.startsWith(deleteFromList)) {
      const field = key.slice(deleteFromList.length);
      const gone = Array.isArray(value) ? value : [];
      if (Array.isArray(result[field])) result[field] = result[field].filter((item) => !gone.includes(item));
      continue;
    }
    if (value !== null) setField(result, key, mergeValue(map && entryType(map, key), ownField(result, key), value));
  }
  for (const key of orderedLists(patch))
    reorder(map, result, { key, original: original[key], order: patch[setOrder + key] ?? patch[key] });
  return result;
}

/** Refuses directives that there are not. */
function checkDirectives(patch: JsonObject): void {
  const kind = patch[directive];
  if (kind !== undefined && kind !== 'merge')
    throw unforeseen(`unknown patch type: ${goText(kind)} in map: ${goText(patch)}`);
  if (patch[retainKeys] !== undefined && !Array.isArray(patch[retainKeys]))
    throw badRequest('invalid patch format of retainKeys');
}

/** A value as Go prints it: maps in the order of their keys. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : String(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}

/** Unions keep only the fields that the patch names. */
function keep(original: JsonObject, names: unknown): JsonObject {
  if (!Array.isArray(names)) return { ...original };
  return Object.fromEntries(Object.entries(original).filter(([key]) => names.includes(key)));
}

function mergeValue(type: TypeNode | undefined, original: unknown, patch: unknown): unknown {
  if (isObject(patch)) return mergeMaps(type?.map, isObject(original) ? original : {}, patch);
  if (!Array.isArray(patch)) return patch;
  if (!type?.list?.patchMerges) return patch;
  return mergeLists(type.list, Array.isArray(original) ? original : [], patch);
}

function mergeLists(list: ListForm, original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const key = list.patchKey;
  if (key === undefined) return [...original, ...patch.filter((item) => !original.includes(item))];
  if (patch.some((item) => isObject(item) && item[directive] === 'replace'))
    return patch.filter((item) => !(isObject(item) && item[directive] === 'replace'));
  const result = [...original];
  for (const item of patch) {
    if (!isObject(item)) continue;
    if (item[key] === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const index = result.findIndex((candidate) => isObject(candidate) && candidate[key] === item[key]);
    if (item[directive] === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index < 0) result.push(withoutDirectives(item));
    else result[index] = mergeMaps(list.element.map, result[index] as JsonObject, item);
  }
  return result;
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch)
      .filter(
        ([key, value]) =>
          value !== null &&
          key !== directive &&
          key !== retainKeys &&
          !key.startsWith(setOrder) &&
          !key.startsWith(deleteFromList),
      )
      .map(([key, value]) => [key, isObject(value) ? withoutDirectives(value) : value]),
  );
}

/** The lists that a patch touches or orders. */
function orderedLists(patch: JsonObject): ReadonlySet<string> {
  const keys = Object.entries(patch).flatMap(([key, value]) =>
    Array.isArray(value) && !key.startsWith('$') ? [key] : [],
  );
  const ordered = Object.keys(patch).flatMap((key) => (key.startsWith(setOrder) ? [key.slice(setOrder.length)] : []));
  return new Set([...keys, ...ordered]);
}

/**
 * Puts a merged list in order: items of the patch as the patch orders them; items that only the server has before the first one that stood behind them,
 * as far as the two orders can be reconciled.
 */
function reorder(
  map: MapForm | undefined,
  result: JsonObject,
  { key, original, order }: { readonly key: string; readonly original: unknown; readonly order: unknown },
): void {
  const list = map && entryType(map, key)?.list;
  const items = result[key];
  if (!list?.patchMerges || !Array.isArray(items) || !Array.isArray(order)) return;
  const mergeKey = list.patchKey;
  const identity = (item: unknown): unknown => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const wanted = order.map(identity);
  const stood = (Array.isArray(original) ? original : []).map(identity);
  const patched = items
    .filter((item) => wanted.includes(identity(item)))
    .sort((left, right) => wanted.indexOf(identity(left)) - wanted.indexOf(identity(right)));
  const others = items.filter((item) => !wanted.includes(identity(item)));
  const isBefore = (left: unknown, right: unknown): boolean => {
    const [l, r] = [stood.indexOf(identity(left)), stood.indexOf(identity(right))];
    return l >= 0 && r >= 0 && l < r;
  };
  const merged: unknown[] = [];
  while (others.length > 0 || patched.length > 0) {
    const takesOther = patched.length === 0 || (others.length > 0 && isBefore(others[0], patched[0]));
    merged.push(takesOther ? others.shift() : patched.shift());
  }
  result[key] = merged;
}
