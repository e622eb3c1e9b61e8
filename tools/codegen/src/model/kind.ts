import type { Definition, DefinitionVersion } from '../crd/definition.ts';
import { kindTypeName, moduleName } from './name.ts';
import { namesByModule } from './names-in.ts';
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
  /** Structures that another kind's or version's module declares already: this one exports them under its own names. */
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

/** A structure of another module. */
interface Borrowed {
  /** The module that declares it: `cert-manager.io/v1/certificate`. */
  readonly module: string;
  /** Its name there. */
  readonly name: string;
  /** Its names here. */
  readonly aliases: readonly string[];
}

/**
 * The name under which a module of the group imports the structures of another module: `v1$certificate`, from outside `cert_manager$io$v1$certificate`.
 * With dollar signs, which no name that comes from a CRD has; before a digit too, with which a group's name may begin.
 */
export function moduleAlias(module: string, group: string): string {
  const path = module.startsWith(`${group}/`) ? module.slice(group.length + 1) : module;
  return path
    .replaceAll('-', '_')
    .replaceAll(/[./]/g, () => '$')
    .replace(/^(?=\d)/, () => '$');
}

/** The module of one version of a kind: `cert-manager.io/v1/certificate`. */
const moduleOf = ({ group, names }: Definition, version: DefinitionVersion): string =>
  `${group}/${version.name}/${moduleName(names.kind)}`;

/**
 * Normalizes every served version of the definitions into named structures, in the definitions' order. What several kinds or versions have in common,
 * of one group or of several, is declared by the first of them, of a kind's versions by the stored one. Pure: the same definitions give the same models.
 */
export function modelsOf(definitions: readonly Definition[]): KindModel[] {
  const table = new ShapeTable();
  for (const definition of definitions) {
    for (const version of servedVersions(definition).sort((a, b) => Number(b.storage) - Number(a.storage))) {
      const conversion = { kind: definition.names.kind, module: moduleOf(definition, version), table };
      internRoot(conversion, definition, version);
    }
  }
  const names = namesByModule(table.shapes);
  const owners = table.shapes.map((shape) => shape.names[0]?.module ?? '');
  return definitions.flatMap((definition) =>
    servedVersions(definition).map((version) =>
      modelOf({ definition, version, shapes: table.shapes, names, ownerOf: (id) => owners[id] ?? '' }),
    ),
  );
}

const servedVersions = ({ versions }: Definition): DefinitionVersion[] =>
  versions.filter((version) => version.served !== false);

interface Named {
  readonly definition: Definition;
  readonly version: DefinitionVersion;
  readonly shapes: readonly Shape[];
  /** For each module, the names of each shape in it. */
  readonly names: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
  /** The module that declares a shape. */
  readonly ownerOf: (id: number) => string;
}

function modelOf({ definition, version, shapes, names, ownerOf }: Named): KindModel {
  const module = moduleOf(definition, version);
  const own = names.get(module) ?? new Map<number, readonly string[]>();
  const used = shapes.filter((shape) => own.has(shape.id));
  const firstName = (id: number, of: string): string => names.get(of)?.get(id)?.[0] ?? 'never';
  const nameOf = (id: number): string =>
    ownerOf(id) === module
      ? firstName(id, module)
      : `${moduleAlias(ownerOf(id), definition.group)}.${firstName(id, ownerOf(id))}`;
  const root = used.find((shape) => shape.names.some((name) => isRoot(name, module) && name.input));
  const props = (root?.members ?? []).filter((member) => !rootKeys.has(member.key));
  return {
    definition,
    version,
    name: kindTypeName(definition.names.kind),
    structures: inReadingOrder(
      used.filter(({ id }) => ownerOf(id) === module),
      module,
    ).map(({ shape, first }) =>
      structureOf(shape, { nameOf, names: own.get(shape.id) ?? [], root: first?.path.length === 0 }),
    ),
    borrowed: used
      .filter(({ id }) => ownerOf(id) !== module)
      .map(({ id }) => ({
        module: ownerOf(id),
        name: firstName(id, ownerOf(id)),
        aliases: [...(own.get(id) ?? [])].sort(),
      }))
      .sort((a, b) => compareText(a.module, b.module) || compareText(a.name, b.name)),
    props: props.map((member) => withType(member, (id) => `types.${firstName(id, module)}`)),
    open: root?.rest !== undefined,
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isRoot = (name: ShapeName, module: string): boolean => name.path.length === 0 && name.module === module;

const firstOf = (shape: Shape, module: string): ShapeName | undefined =>
  shape.names.filter((name) => name.module === module).sort(compareNames)[0];

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
function inReadingOrder(shapes: readonly Shape[], module: string): Declaration[] {
  const declarations = shapes
    .map((shape) => ({ shape, first: firstOf(shape, module) }))
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
