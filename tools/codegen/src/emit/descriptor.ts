import type { JsonSchemaProps } from '@ordinal/schema';
import { deprecationOf } from '../crd/definition.ts';
import { builtIn } from '../model/convert.ts';
import { immutableBelow, isImmutability } from '../model/facts.ts';
import type { KindModel } from '../model/kind.ts';
import { descriptorName, inputName } from '../model/name.ts';
import { comment, fill, jsonLiteral, lineWidth, propertyKey } from './text.ts';

/** The constant that says what a client, a cache or a construct has to know of a kind. */
export function emitDescriptor(model: KindModel): string {
  const { definition, version, name } = model;
  const { kind, plural } = definition.names;
  const words = `${kind} of ${definition.group}/${version.name}, for a client: \`client(${descriptorName(kind, plural)})\`.`;
  const members = Object.entries(descriptorOf(model)).map(
    ([key, value]) => `  ${propertyKey(key)}: ${wrapped(value, key.length + 4)},\n`,
  );
  const deprecation = deprecationOf(definition, version);
  const doc = comment(deprecation === undefined ? [words] : [words, `\0@deprecated ${deprecation}`]);
  return `${doc}export const ${descriptorName(kind, plural)}: ${builtIn}.ResourceDescriptor<${name}, ${inputName(name)}> = {\n${members.join('')}};\n`;
}

/** The descriptor as data. */
function descriptorOf({ definition, version }: KindModel): Readonly<Record<string, unknown>> {
  const { names, scope, group } = definition;
  const root = version.schema.openAPIV3Schema;
  const listMapKeys: Record<string, readonly string[]> = Object.create(null) as Record<string, never>;
  const immutablePaths: string[] = [];
  visit(root, '', (schema, path) => {
    const keys = schema['x-kubernetes-list-map-keys'];
    if (schema['x-kubernetes-list-type'] === 'map' && keys !== undefined) listMapKeys[path] = keys;
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      if (isImmutability(rule)) immutablePaths.push(path);
      const below = immutableBelow(rule);
      if (below !== undefined) immutablePaths.push(below.reduce(childPath, path));
    }
  });
  const descriptor = {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    scope,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: filled(names.shortNames),
    categories: filled(names.categories),
    subresources: subresourcesOf(version.subresources),
    served: version.served === false ? false : undefined,
    storage: version.storage === true ? undefined : false,
    deprecated: deprecationOf(definition, version),
    printColumns: filled(version.additionalPrinterColumns?.map(columnOf)),
    listMapKeys: Object.keys(listMapKeys).length === 0 ? undefined : listMapKeys,
    immutablePaths: filled([...new Set(immutablePaths)]),
    selectableFields: filled(version.selectableFields?.map((field) => field.jsonPath.replace(/^\./, ''))),
  };
  return Object.fromEntries(Object.entries(descriptor).filter(([, value]) => value !== undefined));
}

const filled = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

function subresourcesOf(subresources: KindModel['version']['subresources']): object | undefined {
  if (subresources === undefined || subresources === null) return undefined;
  const { status, scale } = subresources;
  if (status === undefined && scale === undefined) return undefined;
  return {
    ...(status === undefined ? {} : { status: true }),
    ...(scale === undefined ? {} : { scale: scaleOf(scale) }),
  };
}

type Subresources = NonNullable<KindModel['version']['subresources']>;

/** Only what the descriptor's type knows: a CRD may hold keys that the API server drops. */
const scaleOf = (scale: NonNullable<Subresources['scale']>): object => ({
  specReplicasPath: scale.specReplicasPath,
  statusReplicasPath: scale.statusReplicasPath,
  labelSelectorPath: scale.labelSelectorPath,
});

const columnOf = (column: NonNullable<KindModel['version']['additionalPrinterColumns']>[number]): object => ({
  name: column.name,
  type: column.type,
  jsonPath: column.jsonPath,
  format: column.format,
  description: column.description,
  priority: column.priority,
});

/** Visits every node that a value can have, each with its path: `spec.gates`, `spec.gates[].http`, `spec.zones.*`. */
function visit(schema: JsonSchemaProps, path: string, see: (schema: JsonSchemaProps, path: string) => void): void {
  see(schema, path);
  for (const key of Object.keys(schema.properties ?? {}).sort()) {
    const child = schema.properties?.[key];
    if (child !== undefined) visit(child, childPath(path, key), see);
  }
  if (schema.items !== undefined) visit(schema.items, `${path}[]`, see);
  if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, childPath(path, '*'), see);
}

function childPath(path: string, key: string): string {
  if (!/^[\w$*-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** A value on one line where it fits, its entries on lines of their own where it does not. */
function wrapped(value: unknown, start: number): string {
  const line = jsonLiteral(value);
  if (start + line.length < lineWidth || typeof value !== 'object' || value === null) return line;
  if (Array.isArray(value)) {
    const parts = value.map(jsonLiteral);
    const body = value.every((item) => typeof item === 'string')
      ? fill(parts, ', ', { indent: '    ' })
      : parts.join(',\n    ');
    return `[\n    ${body},\n  ]`;
  }
  const entries = Object.entries(value).map(
    ([key, member]) => `${key === '__proto__' ? "['__proto__']" : propertyKey(key)}: ${jsonLiteral(member)}`,
  );
  return `{\n    ${fill(entries, ', ', { indent: '    ' })},\n  }`;
}
