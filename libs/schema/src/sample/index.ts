import type { CompiledSchema } from '../compiled-schema.ts';
import { copyJson } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { setAt, stepsOf, valueAt } from './path.ts';
import type { Random } from './random.ts';
import { Sampler } from './value.ts';
import type { SampleShape } from './value.ts';

export { mutate } from './mutate.ts';
export type { Mutation } from './mutate.ts';
export { seededRandom } from './random.ts';
export type { Random } from './random.ts';
export type { SampleShape } from './value.ts';

const rootFields = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * A random object for the schema, without apiVersion, kind and metadata. It mostly fits, but may break a rule:
 * {@link sampleValid} gives one that is valid. The same schema and random numbers give the same object.
 */
export function sample(schema: JsonSchemaProps, random: Random, shape: SampleShape = {}): JsonObject {
  const object: JsonObject = {};
  const sampler = new Sampler(random, shape);
  const required = new Set(schema.required ?? []);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (rootFields.has(name) || (name === 'status' && !required.has(name))) continue;
    object[name] = sampler.value(property);
  }
  return object;
}

/** What {@link sampleValid} needs to judge and to draw. */
export interface ValidSampleOptions extends SampleShape {
  /** Judges; compile it with `cel` if rules are to hold. */
  readonly compiled: CompiledSchema;
  /** Drawn objects before it gives up. Default 20. */
  readonly attempts?: number;
}

/**
 * A random valid object: drawn, and where it is refused, what is refused is taken away or drawn again.
 * Undefined when no attempt became valid.
 */
export function sampleValid(
  schema: JsonSchemaProps,
  random: Random,
  options: ValidSampleOptions,
): JsonObject | undefined {
  const { compiled, attempts = 20 } = options;
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Sparser with every attempt: what is not there breaks no rule.
    const fullness = (options.fullness ?? 0.6) / (1 + attempt / 4);
    const object = sample(schema, random, { ...options, fullness });
    for (let round = 0; round < 12; round++) {
      const judged = copyJson(object);
      const { decodeError } = compiled.admit(judged);
      const errors = decodeError === undefined ? compiled.validate(judged) : [decodeError];
      const [first] = errors;
      if (first === undefined) return object;
      if (!repair(object, first.field)) break;
    }
  }
  return undefined;
}

/** Takes away what the error names, or, where that is absent or a root, its parent. */
function repair(object: JsonObject, field: string): boolean {
  let steps = stepsOf(object, field);
  if (steps.length > 1 && valueAt(object, steps) === undefined) steps = steps.slice(0, -1);
  if (steps.length < 2) return false;
  setAt(object, steps, undefined);
  return true;
}
