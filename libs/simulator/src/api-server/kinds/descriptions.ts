import texts from '../../builtin/descriptions.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';

/** What a definition and its fields are for, in Kubernetes' own words. */
interface Description {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** The descriptions that the simulation has: those of metadata, which `kubectl explain` shows of custom kinds. The others are half of all bytes. */
const known: Readonly<Record<string, Description | undefined>> = texts;

/** What is said of the fields that every object has. */
export const objectFields: Readonly<Record<'apiVersion' | 'kind' | 'metadata', string>> = texts.object.properties;

/** A definition with its description, and those of its fields, as far as they are known. */
export function described(name: string, schema: JsonObject): JsonObject {
  const own = known[name];
  if (own === undefined) return schema;
  const { description, properties: about = {} } = own;
  const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>).map(
    ([field, each]) => [field, { ...(about[field] !== undefined && { description: about[field] }), ...each }],
  );
  return {
    ...(description !== undefined && { description }),
    ...schema,
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) as JsonObject }),
  };
}
