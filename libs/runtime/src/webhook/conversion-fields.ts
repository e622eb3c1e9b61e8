import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@ordinal/client';
import { sameJson } from '@ordinal/client';

/** All of an object but its type and its metadata. */
export type Fields = Readonly<Record<string, unknown>>;

/** What an object had in a version that it was converted from. */
export interface KeptFields {
  /** Of what it became then. */
  readonly fingerprint: string;
  readonly fields: Fields;
  /** Signature of the webhook. */
  readonly seal: string;
}

/** Where an object carries what its version can't say, by the version that can. */
const annotation = 'ordinal.dev/unconverted';

/** An object without its type and metadata. */
export function fieldsOf(object: KubernetesObject): Fields {
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = object;
  return fields;
}

/** What an object says that it carries along from other versions. An annotation that is not ours to read counts as none. */
export function keptIn({ metadata }: KubernetesObject): Readonly<Record<string, KeptFields>> {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return {};
  try {
    const kept: unknown = JSON.parse(text);
    return isRecord(kept) && Object.values(kept).every(isKept) ? (kept as Readonly<Record<string, KeptFields>>) : {};
  } catch {
    return {};
  }
}

/** The object with what it is to carry along. */
export function withKept(object: KubernetesObject, kept: Readonly<Record<string, KeptFields>>): KubernetesObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const { [annotation]: _, ...others } = annotations;
  const next = Object.keys(kept).length === 0 ? others : { ...others, [annotation]: JSON.stringify(kept) };
  return { ...object, metadata: { ...metadata, ...(Object.keys(next).length > 0 && { annotations: next }) } };
}

/** Short, and the same whatever order the fields are in. */
export function fingerprint(fields: Fields): string {
  return createHash('sha256').update(stableText(fields)).digest('base64url').slice(0, 22);
}

/** As text that is the same whatever order the fields are in. */
export const stableText = (fields: Fields): string => JSON.stringify(sorted(fields));

/** What `before` became in `after`, done to the original: what is the same in both stays as the original has it. */
export function carry<T>(original: T, before: unknown, after: T): T {
  return carried(original, before, after) as T;
}

function carried(original: unknown, before: unknown, after: unknown): unknown {
  if (sameJson(before, after)) return original;
  if (Array.isArray(original) && Array.isArray(before) && Array.isArray(after)) {
    if (original.length !== after.length || before.length !== after.length) return after;
    return after.map((item, index) => carried(original[index], before[index], item));
  }
  if (!isRecord(original) || !isRecord(before) || !isRecord(after)) return after;
  const result: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(original), ...Object.keys(after)])) {
    const value = carried(original[key], before[key], after[key]);
    if (value !== undefined) result[key] = value;
  }
  return result;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function isKept(value: unknown): value is KeptFields {
  return (
    isRecord(value) &&
    typeof value['fingerprint'] === 'string' &&
    typeof value['seal'] === 'string' &&
    isRecord(value['fields'])
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
