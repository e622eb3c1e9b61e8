import { isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Node } from './node.ts';

const typeFields = new Set(['apiVersion', 'kind', 'metadata']);

/** Where a pruning walk is, and what it took away. */
interface Prune {
  readonly path: (string | number)[];
  readonly removed: string[];
}

/**
 * Removes in place what the schema does not describe; returns the paths that went, sorted
 * (`PruneWithOptions` of apiextensions-apiserver).
 */
export function prune(object: JsonObject, root: Node): string[] {
  const walk: Prune = { path: [], removed: [] };
  pruneValue(walk, object, root);
  return walk.removed.sort();
}

function pruneValue(walk: Prune, value: JsonValue | undefined, node: Node | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  if (node?.preserveUnknownFields === true) {
    skip(walk, value, node);
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) step(walk, i, item, node?.items);
  } else {
    pruneObject(walk, value, node);
  }
}

function step(walk: Prune, key: string | number, value: JsonValue | undefined, node: Node | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  walk.path.push(key);
  pruneValue(walk, value, node);
  walk.path.pop();
}

function pruneObject(walk: Prune, object: JsonObject, node: Node | undefined): void {
  for (const key of Object.keys(object)) {
    if (node?.embeddedResource === true && typeFields.has(key)) continue;
    const member = node?.properties.get(key);
    if (member !== undefined || node?.additional === true) {
      step(walk, key, object[key], member ?? node?.additionalProperties);
    } else {
      if (node === undefined || !typeFields.has(key) || walk.path.length > 0)
        walk.removed.push(pathText([...walk.path, key]));
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- pruning is deleting what is not known
      delete object[key];
    }
  }
}

/** Under preserve-unknown-fields nothing goes, but what is described below may prune again. */
function skip(walk: Prune, value: JsonObject | JsonValue[], node: Node): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (typeof item !== 'object' || item === null || node.items === undefined) continue;
      walk.path.push(i);
      skip(walk, item, node.items);
      walk.path.pop();
    }
    return;
  }
  for (const key of Object.keys(value)) {
    if (node.embeddedResource && typeFields.has(key)) continue;
    const member = node.properties.get(key);
    if (member !== undefined || node.additional) step(walk, key, value[key], member ?? node.additionalProperties);
  }
}

/** A path as strict field validation prints it: `spec.ports[0].name`. */
function pathText(path: readonly (string | number)[]): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${String(key)}]` : i === 0 ? key : `.${key}`)).join('');
}

/** True for nulls that go before defaulting: the schema neither allows null nor gives a default. */
function isUnwantedNull(value: JsonValue | undefined, node: Node | undefined): boolean {
  return value === null && node !== undefined && !node.nullable && node.default === undefined;
}

/** Removes in place the null members of objects that their schema does not allow and has no default for. */
export function pruneNulls(value: JsonValue | undefined, node: Node | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, node?.items);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const member = node?.properties.get(key) ?? node?.additionalProperties;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- pruning is deleting
      if (isUnwantedNull(value[key], member)) delete value[key];
      else if (member !== undefined) pruneNulls(value[key], member);
    }
  }
}
