import type { JsonSchemaProps } from '@ordinal/schema';
import { factsOf, hasDefault } from './facts.ts';
import { inputName, pathName } from './name.ts';
import type { Member, ShapeDraft, TypeText } from './shape.ts';
import type { ShapeTable } from './shape.ts';
import { arrayOf, literals, mapOf, orNull } from './type-text.ts';

/** The two types of one place: as the server returns it and as it is written. Equal where nothing below has a default. */
export interface Forms {
  readonly read: TypeText;
  readonly write: TypeText;
}

/** What a conversion carries along: the kind, the structures found so far, and how built-in types are called. */
export interface Conversion {
  readonly kind: string;
  /** The module that the names are for: `cert-manager.io/v1/certificate`. */
  readonly module: string;
  readonly table: ShapeTable;
}

/** The name under which generated modules import the client's types. A namespace, so that no kind's name can clash with one of them. */
export const builtIn = 'ordinal';

/**
 * The types of one schema node. The rules, in their order: any JSON, int-or-string, enums, scalars, lists, objects; then null.
 * Paths hold property keys only: the items of a list and the values of a map go by the name of the list or map.
 */
export function convert(conversion: Conversion, schema: JsonSchemaProps, path: readonly string[]): Forms {
  const forms = withoutNull(conversion, schema, path);
  return schema.nullable === true && !(schema.enum?.includes(null) === true) ? each(forms, orNull) : forms;
}

function withoutNull(conversion: Conversion, schema: JsonSchemaProps, path: readonly string[]): Forms {
  const values = enumOf(schema);
  if (values !== undefined) return same(literals(values));
  if (schema['x-kubernetes-int-or-string'] === true) return same({ text: 'number | string', compound: true });
  switch (schema.type) {
    case 'string':
      return same({ text: 'string' });
    case 'integer':
    case 'number':
      return same({ text: 'number' });
    case 'boolean':
      return same({ text: 'boolean' });
    case 'array':
      return each(
        schema.items === undefined ? same(anyJson) : convert(conversion, itemsOf(schema, schema.items), path),
        arrayOf,
      );
    case 'object':
      return objectForms(conversion, schema, path);
    default:
      return same(anyJson);
  }
}

/** A list that keeps unknown fields keeps those of its items (`skipPrune` in the API server's pruning). */
function itemsOf(schema: JsonSchemaProps, items: JsonSchemaProps): JsonSchemaProps {
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true && (items.type === 'object' || items.type === 'array');
  return open ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
}

/** Any JSON value: scalars, lists and null among them. */
const anyJson: TypeText = { text: 'unknown' };

const same = (type: TypeText): Forms => ({ read: type, write: type });

function each(forms: Forms, change: (type: TypeText) => TypeText): Forms {
  const read = change(forms.read);
  return { read, write: forms.write === forms.read ? read : change(forms.write) };
}

/** The values that both the node's enum and those of its allOf let through; undefined where there is none. */
function enumOf(schema: JsonSchemaProps): unknown[] | undefined {
  const lists = [schema.enum, ...(schema.allOf ?? []).map((entry) => entry.enum)].filter((list) => list !== undefined);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const printed = others.map((list) => new Set(list.map((value) => JSON.stringify(value))));
  return first.filter((value) => printed.every((list) => list.has(JSON.stringify(value))) && fitsType(value, schema));
}

/** An enum's value that the type refuses can never be written, so it is left out. */
function fitsType(value: unknown, schema: JsonSchemaProps): boolean {
  if (value === null) return schema.nullable === true || schema.type === undefined;
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof value === 'number';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case undefined:
      return true;
    default:
      return typeof value === schema.type;
  }
}

function objectForms(conversion: Conversion, schema: JsonSchemaProps, path: readonly string[]): Forms {
  const values = schema.additionalProperties;
  const valueForms =
    values === undefined ? undefined : typeof values === 'object' ? convert(conversion, values, path) : same(anyJson);
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const rest = valueForms ?? (open ? same(anyJson) : undefined);
  const hasMembers = Object.keys(schema.properties ?? {}).length > 0 || (schema.required ?? []).length > 0 || embedded;
  if (!hasMembers) return rest === undefined ? same(emptyObject) : each(rest, mapOf);
  const members = membersOf(conversion, schema, path, rest);
  // The values of a map have the map's path, and keep its name when some of its keys become required.
  const ownPath = [...path, ...Array.from({ length: mapsIn(schema) }, () => '\0map')];
  const name = pathName(conversion.kind, ownPath);
  return internForms(conversion, members, { path: ownPath, name, rest, prose: schema.description ?? '', facts: [] });
}

/** How many maps stand in each other here, lists between them or not: all have one path. */
function mapsIn({ additionalProperties, items }: JsonSchemaProps): number {
  if (typeof additionalProperties === 'object') return 1 + mapsIn(additionalProperties);
  return items === undefined ? 0 : mapsIn(items);
}

/** An object in which the server keeps nothing. */
const emptyObject: TypeText = { text: '{ readonly [key: string]: never }' };

interface MemberForms {
  readonly read: Member;
  readonly write: Member;
}

/** The properties of an object in alphabetical order, those that are required and not described among them. */
function membersOf(
  conversion: Conversion,
  schema: JsonSchemaProps,
  path: readonly string[],
  rest: Forms | undefined,
): MemberForms[] {
  const properties = schema.properties ?? {};
  const required = new Set(schema.required ?? []);
  const keys = new Set([...Object.keys(properties), ...required]);
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (embedded) for (const key of ['apiVersion', 'kind', 'metadata']) keys.add(key);
  return [...keys].sort().map((key) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (embedded && Object.hasOwn(embeddedTypes, key)) return embeddedMember(key, property);
    if (property === undefined) return undescribed(key, rest ?? same(anyJson));
    return memberForms(key, property, required.has(key), convert(conversion, property, [...path, key]));
  });
}

/** A property that is required and of which no more is said. */
function undescribed(key: string, { read, write }: Forms): MemberForms {
  const member: Member = { key, optional: false, type: read, prose: '', facts: [] };
  return { read: member, write: read === write ? member : { ...member, type: write } };
}

/** One property in both forms: with a default it is always there when read, and need not be written. */
export function memberForms(key: string, schema: JsonSchemaProps, required: boolean, forms: Forms): MemberForms {
  const filled = hasDefault(schema);
  const facts = [...factsOf(schema), ...itemFacts(schema)];
  const member = (optional: boolean, type: TypeText): Member => ({
    key,
    optional,
    type: optional && inherited.has(key) ? orInherited(key, type) : type,
    prose: schema.description ?? '',
    facts,
  });
  const read = member(!required && !filled, forms.read);
  const optional = !required || filled;
  return {
    read,
    write: optional === read.optional && forms.read === forms.write ? read : member(optional, forms.write),
  };
}

/** What every object has in JavaScript, so that a property of that name is there, with another type, where it is left out. */
const inherited = new Set([
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
]);

/** Without this, no object without the property would have the type. Written through `{}`: a kind may be called `Object`. */
const orInherited = (key: string, type: TypeText): TypeText =>
  type.text === 'unknown' ? type : { text: `${type.text} | {}['${key}']`, compound: true };

/** What is said of a list's items or a map's values, where those are no structures with docstrings of their own. */
function itemFacts(schema: JsonSchemaProps): string[] {
  const inner =
    schema.items ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  if (inner === undefined || !isObject(inner)) return [];
  const word = schema.items === undefined ? 'Each value' : 'Each item';
  return factsOf(inner)
    .filter((fact) => !fact.startsWith('\0'))
    .map((fact) => `${word}: ${fact}`);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const embeddedTypes: Readonly<Record<string, string>> = {
  apiVersion: 'string',
  kind: 'string',
  metadata: `${builtIn}.ObjectMetaInput`,
};

function embeddedMember(key: string, property: JsonSchemaProps = {}): MemberForms {
  const values = enumOf(property);
  const type = values === undefined ? { text: embeddedTypes[key] ?? 'unknown' } : literals(values);
  return memberForms(key, property, key !== 'metadata', same(type));
}

interface Naming {
  readonly path: readonly string[];
  readonly name: string;
  readonly rest: Forms | undefined;
  readonly prose: string;
  readonly facts: readonly string[];
}

/**
 * Interns both forms of an object. Where they are alike there is one shape with one name. Where they differ, the read form extends the written one by
 * the members that differ: every object that is read can be written, and docstrings stand in one place.
 */
export function internForms({ table, module }: Conversion, members: readonly MemberForms[], naming: Naming): Forms {
  const { path, name, rest, prose, facts } = naming;
  const changed = members.filter((member) => member.read !== member.write);
  const restDiffers = rest?.read.text !== rest?.write.text;
  const written: ShapeDraft = { members: members.map(({ write }) => write), rest: rest?.write, prose, facts };
  if (changed.length === 0 && !restDiffers) return same(table.intern(written, { module, path, name, input: false }));
  const write = table.intern(written, { module, path, name: inputName(name), input: true });
  const read: ShapeDraft = {
    base: write,
    members: changed.map((member) => ({ ...member.read, prose: '', facts: [] })),
    rest: restDiffers ? rest?.read : undefined,
    prose,
    facts,
  };
  return { read: table.intern(read, { module, path, name, input: false }), write };
}
