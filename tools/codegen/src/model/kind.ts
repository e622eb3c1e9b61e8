import type { JsonSchemaProps } from '@ordinal/schema';
import type { Definition, DefinitionVersion } from '../crd/definition.ts';
import { deprecationOf } from '../crd/definition.ts';
import { builtIn, convert, internForms, memberForms } from './convert.ts';
import type { Conversion } from './convert.ts';
import { factsOf } from './facts.ts';
import { inputName, kindTypeName, mark } from './name.ts';
import { ShapeTable, compareNames, withNames } from './shape.ts';
import type { Member, Shape, ShapeName } from './shape.ts';

/** One version of one kind, with all its types named. */
export interface KindModel {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  /** The name of the read form; the written form is called `${name}Input`. */
  readonly name: string;
  readonly structures: readonly Structure[];
  /** The written form's own properties: all but apiVersion, kind and metadata. Types are qualified, `types.ClusteredCacheSpecInput`. */
  readonly props: readonly Member[];
  /** The root keeps unknown fields. */
  readonly open: boolean;
}

/** An interface to emit: its name, the other names that it goes by, its properties with all references replaced by names. */
export interface Structure {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly members: readonly Member[];
  readonly rest: string | undefined;
  readonly prose: string;
  readonly facts: readonly string[];
}

/** Normalises one version of a definition into named structures. Pure: the same definition gives the same model. */
export function modelOf(definition: Definition, version: DefinitionVersion): KindModel {
  const table = new ShapeTable();
  const { kind } = definition.names;
  internRoot({ kind, table }, definition, version);
  const names = uniqueNames(table.shapes);
  const nameOf = (id: number): string => names.get(id)?.[0] ?? 'never';
  const root = table.shapes.find((shape) => shape.names.some(({ path, input }) => path.length === 0 && input));
  const props = (root?.members ?? []).filter((member) => !rootKeys.has(member.key));
  return {
    definition,
    version,
    name: kindTypeName(kind),
    structures: nameShapes(table.shapes, names),
    props: props.map((member) => withType(member, (id) => `types.${nameOf(id)}`)),
    open: root?.rest !== undefined,
  };
}

/** The object itself: apiVersion, kind and metadata are the API server's own, whatever the schema says of them. */
function internRoot(conversion: Conversion, definition: Definition, version: DefinitionVersion): void {
  const schema = version.schema.openAPIV3Schema;
  const properties: Readonly<Record<string, JsonSchemaProps>> = schema.properties ?? {};
  const required = new Set(schema.required ?? []);
  const literal = (key: string, value: string): Member => ({
    key,
    optional: false,
    type: { text: `'${value}'` },
    prose: '',
    facts: [],
  });
  const metadata = (type: string): Member => ({
    key: 'metadata',
    optional: false,
    type: { text: `${builtIn}.${type}` },
    prose: '',
    facts: metadataFacts(properties['metadata']),
  });
  const fixed = [
    literal('apiVersion', `${definition.group}/${version.name}`),
    literal('kind', definition.names.kind),
  ].map((member) => ({ read: member, write: member }));
  const own = Object.keys(properties)
    .filter((key) => !rootKeys.has(key))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((key) => {
      const property = properties[key] ?? {};
      return memberForms(key, property, required.has(key), convert(conversion, property, [key]));
    });
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true
      ? ({ read: { text: 'unknown' }, write: { text: 'unknown' } } as const)
      : undefined;
  internForms(
    conversion.table,
    [...fixed, { read: metadata('ObjectMeta'), write: metadata('ObjectMetaInput') }, ...own],
    {
      path: [],
      name: kindTypeName(definition.names.kind),
      rest: open,
      prose: schema.description ?? '',
      facts: [...factsOf(schema), ...deprecationFacts(definition, version)],
    },
  );
}

/** What every object has, whatever its schema says. */
const rootKeys = new Set(['apiVersion', 'kind', 'metadata']);

const rank = (key: string): number => (key === 'spec' ? 0 : key === 'status' ? 1 : 2);

function deprecationFacts(definition: Definition, version: DefinitionVersion): string[] {
  const warning = deprecationOf(definition, version);
  return warning === undefined ? [] : [`\0@deprecated ${warning.replace(/\s+/g, ' ')}`];
}

/** A CRD may bound an object's name, and nothing else of its metadata. */
function metadataFacts(schema: JsonSchemaProps | undefined): string[] {
  return ['name', 'generateName'].flatMap((key) => {
    const property = schema?.properties?.[key];
    return property === undefined ? [] : factsOf(property).map((fact) => `\`${key}\`: ${fact}`);
  });
}

const withType = (member: Member, nameOf: (id: number) => string): Member => ({
  ...member,
  type: { ...member.type, text: withNames(member.type.text, nameOf) },
});

function nameShapes(shapes: readonly Shape[], names: ReadonlyMap<number, readonly string[]>): Structure[] {
  const nameOf = (id: number): string => names.get(id)?.[0] ?? 'never';
  return shapes
    .map((shape) => ({ shape, first: [...shape.names].sort(compareNames)[0] }))
    .sort((a, b) => (a.first === undefined || b.first === undefined ? 0 : compareDeclarations(a.first, b.first)))
    .map(({ shape }) => ({
      name: nameOf(shape.id),
      aliases: (names.get(shape.id) ?? []).slice(1).sort(),
      members: shape.members.map((member) => withType(member, nameOf)),
      rest: shape.rest === undefined ? undefined : withNames(shape.rest.text, nameOf),
      prose: shape.prose,
      facts: shape.facts,
    }));
}

/** Root, spec, status and so on downwards by path: a reader meets the whole before its parts. */
function compareDeclarations(a: ShapeName, b: ShapeName): number {
  const length = Math.min(a.path.length, b.path.length);
  for (let index = 0; index < length; index += 1) {
    const [left = '', right = ''] = [a.path[index], b.path[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.path.length - b.path.length || Number(a.input) - Number(b.input);
}

/**
 * The names of each shape, the declaration's first. Where two paths give one name to different shapes (`a.bC` and `aB.c`), the shorter path keeps it and
 * the other gets a mark made of its own path.
 */
function uniqueNames(shapes: readonly Shape[]): Map<number, string[]> {
  const claims = shapes.flatMap((shape) => shape.names.map((name) => ({ id: shape.id, name })));
  claims.sort((a, b) => compareNames(a.name, b.name) || (a.name.path.join('\0') < b.name.path.join('\0') ? -1 : 1));
  const owners = new Map<string, number>();
  const names = new Map<number, string[]>();
  for (const { id, name } of claims) {
    const owner = owners.get(name.name);
    const unique = owner === undefined || owner === id ? name.name : marked(name);
    owners.set(unique, id);
    const list = names.get(id) ?? [];
    if (!list.includes(unique)) list.push(unique);
    names.set(id, list);
  }
  return names;
}

function marked(name: ShapeName): string {
  const suffix = `_${mark(name.path.join('\0'))}`;
  return name.input ? inputName(name.name.slice(0, -'Input'.length) + suffix) : name.name + suffix;
}
