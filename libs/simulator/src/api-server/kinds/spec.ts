import { isObject, setField } from '../object.ts';
import type { JsonObject } from '../request.ts';

/** An object's part, as an object: empty where it is absent. */
export const part = (object: JsonObject, field: string): JsonObject => {
  const value = object[field];
  return isObject(value) ? value : {};
};

/** An object's spec. */
export const specOf = (object: JsonObject): JsonObject => part(object, 'spec');

/** A list of objects, empty where it is absent. */
export const items = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A list of texts, empty where it is absent. */
export const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The object without some fields. */
export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  if (!fields.some((field) => Object.hasOwn(object, field))) return object;
  const rest: JsonObject = {};
  for (const key in object) if (!fields.includes(key)) setField(rest, key, object[key]);
  return rest;
}
