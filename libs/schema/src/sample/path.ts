import { isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Steps from an object to a value in it. */
export type Steps = readonly (string | number)[];

/** The value at the end of the steps. */
export function valueAt(object: JsonValue, steps: Steps): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, object);
}

/** Puts a value where the steps end, or takes away what is there. */
export function setAt(object: JsonObject, steps: Steps, value: JsonValue | undefined): void {
  const parent = valueAt(object, steps.slice(0, -1));
  const last = steps.at(-1);
  if (Array.isArray(parent) && typeof last === 'number') {
    if (value === undefined) parent.splice(last, 1);
    else parent[last] = value;
  } else if (isJsonObject(parent) && typeof last === 'string') {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- taking away is what is asked
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
}

/** Steps of every value below the object, parents first. */
export function allSteps(value: JsonValue | undefined, prefix: Steps = []): Steps[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => [[...prefix, i], ...allSteps(item, [...prefix, i])]);
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((key) => [[...prefix, key], ...allSteps(value[key], [...prefix, key])]);
}

/** The steps of an error's field, followed in the object: map keys may hold dots and brackets. */
export function stepsOf(object: JsonValue, field: string): Steps {
  const steps: (string | number)[] = [];
  let at: JsonValue | undefined = object;
  let rest = field === '<nil>' ? '' : field;
  while (rest !== '' && at !== undefined && at !== null) {
    const step = nextStep(at, rest);
    if (step === undefined) break;
    steps.push(step.step);
    rest = step.rest;
    at = valueAt(at, [step.step]);
  }
  return steps;
}

function nextStep(at: JsonValue, text: string): { step: string | number; rest: string } | undefined {
  if (Array.isArray(at)) {
    const index = /^\[(\d+)\]/.exec(text);
    return index === null ? undefined : { step: Number(index[1]), rest: text.slice(index[0].length) };
  }
  if (!isJsonObject(at)) return undefined;
  const name = text.replace(/^\./, '');
  const keys = Object.keys(at).sort((a, b) => b.length - a.length);
  for (const key of keys) {
    if (name.startsWith(key) && /^(?:[.[]|$)/.test(name.slice(key.length)))
      return { step: key, rest: name.slice(key.length) };
    if (text.startsWith(`[${key}]`)) return { step: key, rest: text.slice(key.length + 2) };
  }
  return undefined;
}
