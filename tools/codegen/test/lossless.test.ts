import { admitted, compileSchema, copyJson, isJsonObject } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps, JsonValue } from '@ordinal/schema';
import { sampleValid, seededRandom } from '@ordinal/schema/sample';
import { App, Chart } from 'cdk8s';
import { expect, test } from 'vitest';
import { readDefinitions } from '../src/crd/read.ts';
import type { Definition, DefinitionVersion } from '../src/crd/definition.ts';
import { generate } from '../src/index.ts';
import { descriptorName } from '../src/model/name.ts';
import { KubernetesConstruct } from '../src/runtime/kubernetes-construct.ts';
import type { Manifest } from '../src/runtime/kubernetes-construct.ts';
import { compileErrors, ownCrds, realCrds } from './program.ts';

interface Sampled {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  readonly schema: JsonSchemaProps;
  readonly objects: readonly JsonObject[];
}

/** How many objects are drawn for each version of each kind. */
const samples = 4;

/** Valid objects of each version. Rules are left out: no type says what they say. */
function sampleAll(): Sampled[] {
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
function spoilt(schema: JsonSchemaProps, object: JsonObject): JsonObject[] {
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
const expression = (object: JsonValue): string => JSON.stringify(object).replaceAll('"__proto__":', '["__proto__"]:');

const moduleOf = ({ definition, version }: Sampled): string =>
  `./${definition.group}/${version.name}/${definition.names.kind.toLowerCase()}.ts`;

const typeOf = ({ definition }: Sampled): string =>
  definition.names.kind.charAt(0).toUpperCase() + definition.names.kind.slice(1);

test(
  'valid objects have the written type, defaulted ones the read type, and spoilt ones neither',
  { timeout: 240_000 },
  () => {
    const sampled = sampleAll();
    let right = 0;
    let wrong = 0;
    const checks = sampled.map((each, index) => {
      const type = typeOf(each);
      const schema = compileSchema(each.schema, { rules: 'ignore' });
      const lines = each.objects.flatMap((object) => {
        const filled = {
          ...admitted(schema, object),
          metadata: { name: 'sample', uid: 'u', resourceVersion: '1', creationTimestamp: 't' },
        };
        const broken = spoilt(each.schema, object).slice(0, 12);
        right += 2;
        wrong += broken.length;
        return [
          `(${expression(object)}) satisfies ${type}Input;`,
          `(${expression(filled)}) satisfies ${type};`,
          ...broken.map((spoiled) => `// @ts-expect-error spoilt\n(${expression(spoiled)}) satisfies ${type}Input;`),
        ];
      });
      const imports = `import { ${descriptorName(each.definition.names.kind, each.definition.names.plural)} as descriptor } from '${moduleOf(each)}';\nimport type { ${type}, ${type}Input } from '${moduleOf(each)}';\n`;
      return {
        path: `check-${String(index)}.ts`,
        text: `${imports}void descriptor;\nvoid (0 as unknown as [${type}, ${type}Input]);\n${lines.join('\n')}\n`,
      };
    });
    const files = generate([...realCrds(), ...ownCrds()], { parts: ['types', 'clients'], importExtension: '.ts' });
    expect(compileErrors([...files, ...checks])).toEqual([]);
    expect(right).toBeGreaterThan(sampled.length);
    expect(wrong).toBeGreaterThan(right);
  },
);

test('what goes into a construct comes out of it', { timeout: 120_000 }, () => {
  const chart = new Chart(new App(), 'chart');
  const objects = sampleAll().flatMap((each) => each.objects);
  objects.forEach((object, index) => {
    const manifest = object as unknown as Manifest;
    expect(new KubernetesConstruct(chart, String(index), { manifest }).toJson()).toEqual(object);
  });
  expect(objects.length).toBeGreaterThan(50);
});
