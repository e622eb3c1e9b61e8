import { copyJson, isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { word } from './pattern-text.ts';
import { happens, integer, pick } from './random.ts';
import type { Random } from './random.ts';
import { sampleText } from './text.ts';

/** How full and how deep samples are. */
export interface SampleShape {
  /** Chance that an optional field is there, at the top; it halves with depth. Default 0.6. */
  readonly fullness?: number;
  /** Most items of a list without `minItems`. Default 3. */
  readonly listSize?: number;
}

/** Beyond this many values only what is required is drawn. */
const valueBudget = 400;

/** Draws one value. */
export class Sampler {
  private readonly random: Random;
  private readonly fullness: number;
  private readonly listSize: number;
  private budget = valueBudget;

  constructor(random: Random, shape: SampleShape) {
    this.random = random;
    this.fullness = shape.fullness ?? 0.6;
    this.listSize = shape.listSize ?? 3;
  }

  /** A value of about the schema's kind: types, required fields, bounds, and one branch of each `oneOf` and `anyOf`. */
  value(schema: JsonSchemaProps, depth = 0): JsonValue {
    this.budget--;
    const merged = this.withBranches(schema);
    if (merged.nullable === true && happens(this.random, 0.05)) return null;
    if (merged.enum !== undefined && merged.enum.length > 0) return copyJson(pick(this.random, merged.enum) ?? null);
    if (merged['x-kubernetes-int-or-string'] === true) return this.intOrString(merged);
    switch (merged.type) {
      case 'object':
        return this.object(merged, depth);
      case 'array':
        return this.list(merged, depth);
      case 'string':
        return sampleText(merged, this.random);
      case 'integer':
        return this.number(merged, true);
      case 'number':
        return this.number(merged, happens(this.random, 0.5));
      case 'boolean':
        return happens(this.random, 0.5);
      default:
        return this.anything(depth);
    }
  }

  private intOrString(schema: JsonSchemaProps): JsonValue {
    if (schema.pattern === undefined && happens(this.random, 0.5)) return this.number(schema, true);
    return schema.pattern !== undefined && happens(this.random, 0.3)
      ? integer(this.random, 0, 100)
      : sampleText(schema, this.random);
  }

  private number(schema: JsonSchemaProps, whole: boolean): number {
    const low = schema.minimum ?? (schema.maximum === undefined ? 0 : Math.min(0, schema.maximum));
    const high = schema.maximum ?? low + 100;
    const step = schema.multipleOf ?? 1;
    if (!whole && schema.multipleOf === undefined)
      return Math.round((low + this.random.next() * (high - low)) * 100) / 100;
    const inside = low + (schema.exclusiveMinimum === true ? 1 : 0);
    const value =
      pick(this.random, [
        inside,
        high,
        integer(this.random, Math.ceil(inside), Math.max(Math.ceil(inside), Math.floor(high))),
      ]) ?? low;
    return Math.ceil(value / step) * step;
  }

  private list(schema: JsonSchemaProps, depth: number): JsonValue {
    const { items, minItems = 0, maxItems = Infinity } = schema;
    if (items === undefined) return [];
    const max = this.budget > 0 ? Math.min(maxItems, Math.max(minItems, this.listSize)) : minItems;
    const list = Array.from({ length: integer(this.random, Math.min(minItems, max), max) }, () =>
      this.value(items, depth + 1),
    );
    return schema['x-kubernetes-list-type'] === 'map'
      ? distinct(list, schema['x-kubernetes-list-map-keys'] ?? [])
      : list;
  }

  private object(schema: JsonSchemaProps, depth: number): JsonObject {
    const object: JsonObject = {};
    const required = new Set(schema.required ?? []);
    const likelihood = this.budget > 0 ? this.fullness / (1 + depth / 3) : 0;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (required.has(name) || happens(this.random, likelihood)) object[name] = this.value(property, depth + 1);
    }
    const additional = schema.additionalProperties;
    if (isJsonObject(additional) || additional === true) {
      const { minProperties = 0, maxProperties = 3 } = schema;
      const count = Math.max(minProperties, integer(this.random, 0, Math.min(2, maxProperties)));
      for (let i = 0; i < count; i++)
        object[word(this.random)] = additional === true ? 'a' : this.value(additional, depth + 1);
    }
    if (schema['x-kubernetes-embedded-resource'] === true)
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded' }, ...object };
    if (schema['x-kubernetes-preserve-unknown-fields'] === true && happens(this.random, 0.5))
      object[`x${word(this.random)}`] = this.anything(depth);
    return object;
  }

  private anything(depth: number): JsonValue {
    const kind = integer(this.random, 0, depth > 4 ? 3 : 5);
    if (kind === 0) return happens(this.random, 0.5);
    if (kind === 1) return integer(this.random, -5, 1000);
    if (kind === 2) return word(this.random);
    if (kind === 3) return integer(this.random, 0, 1000) / 8;
    if (kind === 4) return [this.anything(depth + 2)];
    return { [word(this.random)]: this.anything(depth + 2) };
  }

  /** The schema with one branch of each junctor laid over it, so that what the branch asks for is drawn. */
  private withBranches(schema: JsonSchemaProps): JsonSchemaProps {
    const intOrString = schema['x-kubernetes-int-or-string'] === true;
    const branches = [
      ...(schema.allOf ?? []),
      pick(this.random, schema.oneOf ?? []),
      intOrString ? undefined : pick(this.random, schema.anyOf ?? []),
    ];
    return branches.reduce<JsonSchemaProps>(
      (merged, branch) => (branch === undefined ? merged : overlay(merged, this.withBranches(branch))),
      schema,
    );
  }
}

function overlay(schema: JsonSchemaProps, branch: JsonSchemaProps): JsonSchemaProps {
  const properties = { ...schema.properties };
  for (const [name, over] of Object.entries(branch.properties ?? {}))
    properties[name] = overlay(properties[name] ?? {}, over);
  const merged: JsonSchemaProps = {
    ...schema,
    ...branch,
    required: [...(schema.required ?? []), ...(branch.required ?? [])],
  };
  if (schema.properties !== undefined || branch.properties !== undefined) merged.properties = properties;
  if (branch.items !== undefined) merged.items = overlay(schema.items ?? {}, branch.items);
  return merged;
}

function distinct(list: readonly JsonValue[], keys: readonly string[]): JsonValue[] {
  const seen = new Set<string>();
  return list.filter((item) => {
    const identity = JSON.stringify(isJsonObject(item) ? keys.map((key) => item[key] ?? null) : item);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}
