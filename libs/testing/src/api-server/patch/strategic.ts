import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { entryType } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { badRequest } from '../status.ts';

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
  const result: JsonObject = keep(original, patch[retainKeys]);
  for (const [key, value] of Object.entries(patch)) {
    if (key === directive || key === retainKeys || key.startsWith(setOrder)) continue;
    if (key.startsWith(deleteFromList)) {
      const field = key.slice(deleteFromList.length);
      const gone = Array.isArray(value) ? value : [];
      if (Array.isArray(result[field])) result[field] = result[field].filter((item) => !gone.includes(item));
      continue;
    }
    if (value === null) delete result[key];
    else
      result[key] = mergeValue(map && entryType(map, key), result[key], value);
  }
  for (const key in patch)
    if (key.startsWith(setOrder)) reorder(map, result, { key: key.slice(setOrder.length), order: patch[key] });
  return result;
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

/** Puts a merged list in the order that the patch asks for; items that it does not name keep their place after those before them. */
function reorder(
  map: MapForm | undefined,
  result: JsonObject,
  { key, order }: { readonly key: string; readonly order: unknown },
): void {
  const list = map && entryType(map, key)?.list;
  const items = result[key];
  if (!Array.isArray(items) || !Array.isArray(order)) return;
  const mergeKey = list?.patchKey;
  const identity = (item: unknown): unknown => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const wanted = order.map(identity);
  const named = items.filter((item) => wanted.includes(identity(item)));
  named.sort((left, right) => wanted.indexOf(identity(left)) - wanted.indexOf(identity(right)));
  let next = 0;
  result[key] = items.map((item: unknown) => (wanted.includes(identity(item)) ? (named[next++] as unknown) : item));
}
