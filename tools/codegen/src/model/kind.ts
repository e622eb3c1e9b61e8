import type { Definition, DefinitionVersion } from '../crd/definition.ts';
import { kindTypeName } from './name.ts';
import { namesIn } from './names-in.ts';
import { internRoot, rootKeys } from './root.ts';
import { ShapeTable, compareNames, withNames } from './shape.ts';
import type { Member, Shape, ShapeName } from './shape.ts';

/** One version of one kind, with all its types named. */
export interface KindModel {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  /** The name of the read form; the written form is called `${name}Input`. */
  readonly name: string;
  readonly structures: readonly Structure[];
  /** Structures that another version declares already: this one exports them under its own names. */
  readonly borrowed: readonly Borrowed[];
  /** The written form's own properties: all but apiVersion, kind and metadata. Types are qualified, `types.ClusteredCacheSpecInput`. */
  readonly props: readonly Member[];
  /** The root keeps unknown fields. */
  readonly open: boolean;
}

/** An interface to emit: its name, the other names that it goes by, its properties with all references replaced by names. */
export interface Structure {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The written form that this read form extends. */
  readonly base: string | undefined;
  readonly members: readonly Member[];
  readonly rest: string | undefined;
  readonly prose: string;
  readonly facts: readonly string[];
  /** The kind itself, not a part of it. */
  readonly root: boolean;
}

/** A structure of another version. */
interface Borrowed {
  readonly version: string;
  /** Its name there. */
  readonly name: string;
  /** Its names here. */
  readonly aliases: readonly string[];
}

/** The name under which a module imports the structures of another version. */
export const versionAlias = (version: string): string => `of_${version.replaceAll('-', '_')}`;

/**
 * Normalises every served version of a definition into named structures, in the definition's order. The stored version declares what versions have in
 * common. Pure: the same definition gives the same models.
 */
export function modelsOf(definition: Definition): KindModel[] {
  const table = new ShapeTable();
  const served = definition.versions.filter((version) => version.served !== false);
  const storedFirst = [...served].sort((a, b) => Number(b.storage === true) - Number(a.storage === true));
  for (const version of storedFirst)
    internRoot({ kind: definition.names.kind, version: version.name, table }, definition, version);
  const names = new Map(storedFirst.map((version) => [version.name, namesIn(table.shapes, version.name)]));
  const ownerOf = (id: number): string =>
    storedFirst.find((version) => names.get(version.name)?.has(id) === true)?.name ?? '';
  return served.map((version) => modelOf({ definition, version, shapes: table.shapes, names, ownerOf }));
}

interface Named {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  readonly shapes: readonly Shape[];
  /** For each version, the names of each shape in it. */
  readonly names: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
  /** The version that declares a shape. */
  readonly ownerOf: (id: number) => string;
}

function modelOf(named: Named): KindModel {
  const { definition, version, shapes, names, ownerOf } = named;
  const own = names.get(version.name) ?? new Map<number, readonly string[]>();
  const used = shapes.filter((shape) => own.has(shape.id));
  const firstName = (id: number, of: string): string => names.get(of)?.get(id)?.[0] ?? 'never';
  const nameOf = (id: number): string =>
    ownerOf(id) === version.name
      ? firstName(id, version.name)
      : `${versionAlias(ownerOf(id))}.${firstName(id, ownerOf(id))}`;
  const root = used.find((shape) => shape.names.some((name) => isRoot(name, version) && name.input));
  const props = (root?.members ?? []).filter((member) => !rootKeys.has(member.key));
  return {
    definition,
    version,
    name: kindTypeName(definition.names.kind),
    structures: inReadingOrder(
      used.filter(({ id }) => ownerOf(id) === version.name),
      version,
    ).map(({ shape, first }) =>
      structureOf(shape, { nameOf, names: own.get(shape.id) ?? [], root: first?.path.length === 0 }),
    ),
    borrowed: used
      .filter(({ id }) => ownerOf(id) !== version.name)
      .map(({ id }) => ({
        version: ownerOf(id),
        name: firstName(id, ownerOf(id)),
        aliases: [...(own.get(id) ?? [])].sort(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    props: props.map((member) => withType(member, (id) => `types.${firstName(id, version.name)}`)),
    open: root?.rest !== undefined,
  };
}

const isRoot = (name: ShapeName, version: DefinitionVersion): boolean =>
  name.path.length === 0 && name.version === version.name;

const firstOf = (shape: Shape, version: DefinitionVersion): ShapeName | undefined =>
  shape.names.filter((name) => name.version === version.name).sort(compareNames)[0];

interface StructureNaming {
  readonly nameOf: (id: number) => string;
  readonly names: readonly string[];
  readonly root: boolean;
}

function structureOf(shape: Shape, { nameOf, names, root }: StructureNaming): Structure {
  const [name = 'never', ...aliases] = names;
  return {
    name,
    aliases: aliases.sort(),
    base: shape.base === undefined ? undefined : withNames(shape.base.text, nameOf),
    members: shape.members.map((member) => withType(member, nameOf)),
    rest: shape.rest === undefined ? undefined : withNames(shape.rest.text, nameOf),
    prose: shape.prose,
    facts: shape.facts,
    root,
  };
}

const withType = (member: Member, nameOf: (id: number) => string): Member => ({
  ...member,
  type: { ...member.type, text: withNames(member.type.text, nameOf) },
});

interface Declaration {
  readonly shape: Shape;
  readonly first: ShapeName | undefined;
}

/**
 * The whole before its parts. Where structures nest very deep it is the other way round: the compiler compares a read form with its written form member by
 * member, gives up at a depth of a hundred, and remembers what it compared already.
 */
function inReadingOrder(shapes: readonly Shape[], version: DefinitionVersion): Declaration[] {
  const declarations = shapes
    .map((shape) => ({ shape, first: firstOf(shape, version) }))
    .sort((a, b) => compareDeclarations(a.first, b.first));
  return declarations.some(({ first }) => first !== undefined && first.path.length > 30)
    ? declarations.reverse()
    : declarations;
}

/** Root, spec, status and so on downwards by path: a reader meets the whole before its parts. */
function compareDeclarations(a: ShapeName | undefined, b: ShapeName | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const length = Math.min(a.path.length, b.path.length);
  for (let index = 0; index < length; index += 1) {
    const [left = '', right = ''] = [a.path[index], b.path[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.path.length - b.path.length || Number(a.input) - Number(b.input);
}
