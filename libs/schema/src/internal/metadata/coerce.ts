import { isJsonObject } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../json.ts';

/** A field of ObjectMeta has a value that Go cannot decode; the words are those of Go's JSON decoder. */
export class MetadataTypeError extends Error {
  override readonly name = 'MetadataTypeError';
  /** The metadata that could not be read. */
  readonly value: JsonValue;

  constructor(message: string, value: JsonValue) {
    super(message);
    this.value = value;
  }
}

type Shape =
  | 'string'
  | 'int64'
  | 'bool'
  | 'time'
  | 'any'
  | { readonly [field: string]: Shape }
  | { readonly list: Shape }
  | { readonly map: Shape };

const ownerReference: Shape = {
  apiVersion: 'string',
  kind: 'string',
  name: 'string',
  uid: 'string',
  controller: 'bool',
  blockOwnerDeletion: 'bool',
};
const managedFields: Shape = {
  manager: 'string',
  operation: 'string',
  apiVersion: 'string',
  time: 'time',
  fieldsType: 'string',
  fieldsV1: 'any',
  subresource: 'string',
};
const objectMeta: Record<string, Shape> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int64',
  creationTimestamp: 'time',
  deletionTimestamp: 'time',
  deletionGracePeriodSeconds: 'int64',
  labels: { map: 'string' },
  annotations: { map: 'string' },
  ownerReferences: { list: ownerReference },
  finalizers: { list: 'string' },
  managedFields: { list: managedFields },
};
/** Fields that Go writes even when they are empty. */
const kept = new Set(['apiVersion', 'kind', 'name', 'uid']);
/** Fields behind a pointer: zero is a value there. */
const pointers = new Set(['controller', 'blockOwnerDeletion', 'deletionTimestamp', 'deletionGracePeriodSeconds']);

/**
 * Metadata as it looks after a trip through Go's ObjectMeta: unknown fields and empty ones are gone.
 * Unknown paths are pushed to `unknown`. Throws {@link MetadataTypeError} where Go could not decode it.
 */
export function coerceMetadata(metadata: JsonValue, unknown: string[], path: string): JsonObject {
  if (metadata === null) return {};
  if (!isJsonObject(metadata)) throw mismatch(metadata, 'ObjectMeta', '');
  try {
    return coerceFields(metadata, objectMeta, { unknown, path, go: 'ObjectMeta', root: true });
  } catch (error) {
    throw error instanceof MetadataTypeError ? new MetadataTypeError(error.message, metadata) : error;
  }
}

interface Place {
  readonly unknown: string[];
  readonly path: string;
  readonly go: string;
  readonly root?: boolean;
}

function coerceFields(value: JsonObject, fields: Readonly<Record<string, Shape>>, place: Place): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const shape = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const path = `${place.path}.${key}`;
    if (shape === undefined) {
      place.unknown.push(path);
      continue;
    }
    const member = coerce(value[key] ?? null, shape, { unknown: place.unknown, path, go: `${place.go}.${key}` });
    if (member === undefined || (!pointers.has(key) && isEmpty(member))) continue;
    out[key] = member;
  }
  if (place.root !== true)
    for (const key of Object.keys(fields)) if (kept.has(key) && !(key in out) && 'uid' in fields) out[key] = '';
  return out;
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === 0 || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
}

function coerce(value: JsonValue, shape: Shape, place: Place): JsonValue | undefined {
  if (value === null) return undefined;
  if (typeof shape === 'object') return coerceCompound(value, shape, place);
  if (shape === 'any') return value;
  const expected = { string: 'string', int64: 'number', bool: 'boolean', time: 'string' }[shape];
  if (typeof value !== expected) {
    if (shape === 'time') throw mismatch(value, 'string', '');
    throw mismatch(value, shape, place.go);
  }
  if (shape === 'int64' && !Number.isInteger(value)) throw mismatch(value, shape, place.go);
  return shape === 'time' ? time(String(value), value) : value;
}

function coerceCompound(value: JsonValue, shape: Exclude<Shape, string>, place: Place): JsonValue {
  if ('list' in shape && isShape(shape.list)) {
    if (!Array.isArray(value)) throw mismatch(value, '[]', place.go);
    const { list } = shape;
    return value.map(
      (item, i) =>
        coerce(item, list, { ...place, path: `${place.path}[${String(i)}]` }) ?? (typeof list === 'string' ? '' : {}),
    );
  }
  if (!isJsonObject(value)) throw mismatch(value, 'map[string]string', place.go);
  if ('map' in shape && isShape(shape.map)) {
    const { map } = shape;
    return Object.fromEntries(Object.keys(value).map((key) => [key, coerce(value[key] ?? null, map, place) ?? '']));
  }
  return coerceFields(value, shape as Readonly<Record<string, Shape>>, place);
}

function isShape(shape: Shape | undefined): shape is Shape {
  return shape !== undefined;
}

/** Times are kept to the second in UTC. */
function time(text: string, value: JsonValue): string | undefined {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)
    ? new Date(text.replace(',', '.'))
    : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    throw new MetadataTypeError(
      `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`,
      value,
    );
  }
  const iso = at.toISOString().replace(/\.\d+Z$/, 'Z');
  return iso === '0001-01-01T00:00:00Z' ? undefined : iso;
}

function mismatch(value: JsonValue, goType: string, field: string): MetadataTypeError {
  const kind = Array.isArray(value)
    ? 'array'
    : typeof value === 'object'
      ? 'object'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  const [struct, ...rest] = field.split('.');
  const where = field === '' ? '' : `Go struct field ${struct ?? ''}.${rest.join('.')} of type `;
  return new MetadataTypeError(
    `json: cannot unmarshal ${kind} into ${where === '' ? 'Go value of type ' : where}${goType}`,
    value,
  );
}
