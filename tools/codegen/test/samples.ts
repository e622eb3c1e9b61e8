import { compileSchema, copyJson, isJsonObject } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps, JsonValue } from '@ordinal/schema';
import { sampleValid, seededRandom } from '@ordinal/schema/sample';
import type { Definition, DefinitionVersion } from '../src/crd/definition.ts';
import { readDefinitions } from '../src/crd/read.ts';
import { ownCrds, realCrds } from './program.ts';

/** One version of one kind with objects that it allows. */
export interface Sampled {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  readonly schema: JsonSchemaProps;
  readonly objects: readonly JsonObject[];
}

/** How many objects are drawn for each version of each kind. */
const samples = 4;

/** Valid objects of each served version of the fixtures. Rules are left out: no type says what they say. */
export function sampleAll(): Sampled[] {
  const definitions = readDefinitions([...realCrds(), ...ownCrds()]);
  return definitions.flatMap((definition) =>
    definition.versions
      .filter((version) => version.served)
      .map((version) => {
        const schema = version.schema.openAPIV3Schema;
        const compiled = compileSchema(schema, { rules: 'ignore' });
        const random = seededRandom(7);
        const drawn = Array.from({ length: samples }, () => sampleValid(schema, random, { compiled }));
        const objects = drawn
          .filter((object) => object !== undefined)
          .map((object) => named(definition, version, object));
        return { definition, version, schema, objects };
      }),
  );
}

const named = (definition: Definition, version: DefinitionVersion, object: JsonObject): JsonObject => ({
  apiVersion: `${definition.group}/${version.name}`,
  kind: definition.names.kind,
  metadata: { name: 'sample' },
  ...object,
});

/** Where a property of an object can be spoilt, and how; each result is of no type that the schema has. */
export function spoilt(schema: JsonSchemaProps, object: JsonObject): JsonObject[] {
  const results: JsonObject[] = [];
  const put = (path: readonly string[], value: JsonValue | undefined): void => {
    const copy = copyJson(object);
    const parent = path
      .slice(0, -1)
      .reduce<JsonValue | undefined>((node, key) => (isJsonObject(node) ? node[key] : undefined), copy);
    const key = path.at(-1);
    if (!isJsonObject(parent) || key === undefined) return;
    if (value === undefined) Reflect.deleteProperty(parent, key);
    else parent[key] = value;
    results.push(copy);
  };
  const visit = (node: JsonSchemaProps, value: JsonValue | undefined, path: readonly string[]): void => {
    if (node.type !== 'object' || !isJsonObject(value)) return;
    const properties = node.properties ?? {};
    const closed = node['x-kubernetes-preserve-unknown-fields'] !== true && node.additionalProperties === undefined;
    if (closed) put([...path, 'unknownField'], 1);
    for (const key of Object.keys(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property === undefined || property.type === undefined || (path.length === 0 && rootKeys.has(key))) continue;
      put([...path, key], property.type === 'boolean' ? 'text' : true);
      if (property.nullable !== true) put([...path, key], null);
      if (property.enum !== undefined && property.type === 'string') put([...path, key], 'no such value');
      if (node.required?.includes(key) === true && property.default === undefined) put([...path, key], undefined);
      visit(property, value[key], [...path, key]);
    }
  };
  visit(schema, object, []);
  return results;
}

const rootKeys = new Set(['apiVersion', 'kind', 'metadata']);

/** An object as an expression. JSON is TypeScript, save that `__proto__` would set a prototype. */
export const expression = (object: JsonValue): string =>
  JSON.stringify(object).replaceAll('"__proto__":', '["__proto__"]:');

/** The generated module with the types of a version. */
export const moduleOf = ({ definition, version }: Sampled): string =>
  `./${definition.group}/${version.name}/${definition.names.kind.toLowerCase()}.ts`;

/** The name of the generated type. */
export const typeOf = ({ definition }: Sampled): string =>
  definition.names.kind.charAt(0).toUpperCase() + definition.names.kind.slice(1);
