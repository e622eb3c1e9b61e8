import { metadataOf } from '../kinds/metadata-rules.ts';
import { part, without } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { TypeNode } from '../schema/type-node.ts';
import { compare } from './compare.ts';
import { fieldSetOf } from './field-set.ts';
import { difference, isEmptySet, noFields, union } from './fields.ts';
import type { Fields } from './fields.ts';
import type { Conflicts } from './updater.ts';

/** Where `kubectl apply` without `--server-side` keeps what it applied. */
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

const lastApplied = (object: JsonObject): string | undefined => {
  const value = part(metadataOf(object), 'annotations')[annotation];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Whether all conflicts are about fields that `kubectl apply` has set itself before, from the client's side, and that are still as it left them. The server
 * then takes them over for `kubectl apply --server-side`.
 */
export function areFromClientSide(type: TypeNode, live: JsonObject, conflicts: Conflicts): boolean {
  const text = lastApplied(live);
  if (text === undefined) return false;
  let applied: unknown;
  try {
    applied = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isObject(applied)) return false;
  const { added, modified, removed } = compare(type, applied, live);
  const own = difference(fieldSetOf(type, applied), union(union(added, modified), removed));
  const disputed = [...conflicts.values()].reduce<Fields>((all, { fields }) => union(all, fields), noFields);
  return isEmptySet(difference(disputed, own));
}

/** Keeps the annotation of an object that has it in step with what was applied. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const before = lastApplied(object);
  if (before === undefined) return object;
  const metadata = without(metadataOf(applied), 'managedFields');
  const annotations = metadata['annotations'];
  const configuration = {
    ...applied,
    metadata: isObject(annotations) ? { ...metadata, annotations: without(annotations, annotation) } : metadata,
  };
  const text = `${goJson(configuration)}\n`;
  if (text === before) return object;
  const own = metadataOf(object);
  const kept = { ...part(own, 'annotations'), [annotation]: text };
  return { ...object, metadata: { ...own, annotations: kept } };
}

/** JSON as Go writes a map: keys in order, and signs that could be HTML escaped. */
function goJson(value: unknown): string {
  const sorted = (entry: unknown): unknown => {
    if (Array.isArray(entry)) return entry.map(sorted);
    if (!isObject(entry)) return entry;
    return Object.fromEntries(
      Object.keys(entry)
        .sort()
        .map((key) => [key, sorted(entry[key])]),
    );
  };
  const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
  return JSON.stringify(sorted(value)).replaceAll(/[<>&]/g, (sign) => escapes[sign] ?? sign);
}
