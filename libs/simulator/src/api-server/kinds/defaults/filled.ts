import type { JsonObject } from '../../request.ts';

/** Defaults by the name of a definition. Each gives back the value itself where nothing is missing. */
export type Defaults = Readonly<Record<string, (value: JsonObject) => JsonObject>>;

/** The value with each field that is absent, null or an empty string filled in. An empty string that is the default itself is filled in once. */
export function filled(value: JsonObject, defaults: JsonObject): JsonObject {
  let result = value;
  for (const key in defaults) {
    const given = value[key];
    const missing =
      given === undefined ||
      given === null ||
      (given === '' && defaults[key] !== '') ||
      (given === 0 && typeof defaults[key] === 'number' && zeroIsUnset.has(key));
    if (!missing) continue;
    if (result === value) result = { ...value };
    result[key] = defaults[key];
  }
  return result;
}

/** Numbers that Go can't tell from absent ones. */
const zeroIsUnset: ReadonlySet<string> = new Set([
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
]);
