import type { ScaleSubresource } from '@ordinal/client';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { wrong } from './causes.ts';

/** What is found at a path of names, or what stands in the way, in Go's words. */
type Found = { readonly value: unknown } | { readonly problem: string };

/** What the scale subresource asks of the fields that a spec has for it. */
export function scaleSpecCauses(scale: ScaleSubresource, object: JsonObject): readonly FieldCause[] {
  return replicaCauses(scale.specReplicasPath, object);
}

/** What the scale subresource asks of the fields that a status has for it. */
export function scaleStatusCauses(scale: ScaleSubresource, object: JsonObject): readonly FieldCause[] {
  const replicas = replicaCauses(scale.statusReplicasPath, object);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return replicas;
  const found = find(labelSelectorPath, object, (value) => typeof value === 'string', 'string');
  return 'problem' in found ? [...replicas, wrong(labelSelectorPath, '', found.problem)] : replicas;
}

const largest = 2 ** 31 - 1;

function replicaCauses(path: string, object: JsonObject): readonly FieldCause[] {
  const found = find(path, object, Number.isInteger, 'int64');
  if ('problem' in found) return [wrong(path, 0, found.problem)];
  const value = Number(found.value ?? 0);
  if (value < 0) return [wrong(path, value, 'should be a non-negative integer')];
  return value > largest ? [wrong(path, value, `should be less than or equal to ${largest}`)] : [];
}

/** Follows a path as `unstructured.NestedFieldNoCopy` does: what is absent is nothing, and a null on the way too. */
function find(path: string, object: JsonObject, is: (value: unknown) => boolean, type: string): Found {
  const steps = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    if (value === null) return { value: undefined };
    if (!isObject(value)) return { problem: accessorError(steps.slice(0, index + 1), value, 'map[string]interface{}') };
    if (!(step in value)) return { value: undefined };
    value = value[step];
  }
  return is(value) ? { value } : { problem: accessorError(steps, value, type) };
}

const accessorError = (steps: readonly string[], value: unknown, expected: string): string =>
  `.${steps.join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;

/** A JSON value as Go's `%v` prints it. */
function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value as string | number | boolean);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`);
  return `map[${entries.join(' ')}]`;
}

function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
