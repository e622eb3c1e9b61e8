import type { Definition } from '../crd/definition.ts';
import { builtIn } from '../model/convert.ts';
import { modelsOf, moduleAlias } from '../model/kind.ts';
import { moduleName } from '../model/name.ts';
import type { KindModel } from '../model/kind.ts';
import { banner } from './banner.ts';
import { emitClients } from './clients.ts';
import { emitConstruct, emitDefinitionConstruct } from './construct.ts';
import { emitDescriptor } from './descriptor.ts';
import { emitSharedModule } from './runtime.ts';
import type { SharedModule } from './runtime.ts';
import { emitTypes } from './types.ts';
import { emitValidator } from './validator.ts';
import { emitIndex } from './version-index.ts';
import type { EmitOptions, GeneratedFile } from './options.ts';

/** All files for the definitions, sorted by path. */
export function emitFiles(definitions: readonly Definition[], options: EmitOptions): GeneratedFile[] {
  const models = modelsOf(definitions);
  const files = [
    ...[...Map.groupBy(models, folderOf)].flatMap(([folder, kinds]) => emitVersion(folder, kinds, options)),
    ...(options.parts.has('constructs') ? emitDefinitions(definitions, options) : []),
    ...sharedModules(options).map((name) => emitSharedModule(name, options.extension)),
  ];
  return files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** `cert-manager.io/v1`. */
const folderOf = ({ definition, version }: KindModel): string => `${definition.group}/${version.name}`;

/** One part's files for a version: one for each kind, and one that exports them all. */
interface PartFiles {
  readonly suffix: string;
  readonly index: string;
  /** What the index exports of a kind's module; `kindNames` are the names of all kinds, which go before derived ones. */
  readonly exports: (model: KindModel, from: string, kindNames: ReadonlySet<string>) => string;
  readonly emit: (model: KindModel, options: EmitOptions) => string;
}

const validators: PartFiles = {
  suffix: '.validator',
  index: 'validators',
  exports: (_, from) => `export * from ${from};\n`,
  emit: emitValidator,
};
const constructs: PartFiles = {
  suffix: '.construct',
  index: 'constructs',
  // Beside a kind `Foo` there may be a kind `FooProps`: the props of `Foo` are `Foo_.FooProps` then, and always.
  exports: ({ name }, from, kindNames) =>
    (kindNames.has(`${name}Props`) ? `export { ${name} } from ${from};\n` : `export * from ${from};\n`) +
    `export type * as ${name}_ from ${from};\n`,
  emit: emitConstruct,
};

function emitVersion(folder: string, kinds: readonly KindModel[], options: EmitOptions): GeneratedFile[] {
  const { parts, typesFrom } = options;
  const own = typesFrom === undefined;
  return [
    ...(own ? emitTypeFiles(folder, kinds, options) : []),
    ...(own && (parts.has('validators') || parts.has('constructs'))
      ? emitPart(validators, folder, kinds, options)
      : []),
    ...(parts.has('constructs') ? emitPart(constructs, folder, kinds, options) : []),
  ];
}

function emitTypeFiles(folder: string, kinds: readonly KindModel[], options: EmitOptions): GeneratedFile[] {
  const files = kinds.map((model) => ({
    path: `${folder}/${moduleName(model.definition.names.kind)}.ts`,
    text: emitKind(model, options),
  }));
  files.push({ path: `${folder}/index.ts`, text: emitIndex(kinds, options) });
  if (options.parts.has('clients')) files.push({ path: `${folder}/clients.ts`, text: emitClients(kinds, options) });
  return files;
}

function emitKind(model: KindModel, options: EmitOptions): string {
  const descriptor = options.parts.has('clients') ? `\n${emitDescriptor(model)}` : '';
  const { group } = model.definition;
  const fileOf = (module: string): string => {
    const [otherGroup = '', version = '', name = ''] = module.split('/');
    const folder = version === model.version.name ? '.' : `../${version}`;
    return `${otherGroup === group ? folder : `../../${otherGroup}/${version}`}/${name}${options.extension}`;
  };
  const types = emitTypes(model, fileOf);
  const used = new Set(types.match(/(?<![\w$])[\w$]+(?=\.)/g));
  const imports = [...new Set(model.borrowed.map(({ module }) => module))]
    .filter((module) => used.has(moduleAlias(module, group)))
    .map((module) => `import type * as ${moduleAlias(module, group)} from '${fileOf(module)}';\n`);
  return `${banner([model.definition])}import type * as ${builtIn} from '@ordinal/client/types';\n${imports.join('')}\n${types}${descriptor}`;
}

function emitPart(part: PartFiles, folder: string, kinds: readonly KindModel[], options: EmitOptions): GeneratedFile[] {
  const modules = kinds.map((model) => ({
    path: `${folder}/${moduleName(model.definition.names.kind)}${part.suffix}.ts`,
    text: part.emit(model, options),
  }));
  const kindNames = new Set(kinds.map(({ name }) => name));
  const lines = kinds.map((model) =>
    part.exports(model, `'./${moduleName(model.definition.names.kind)}${part.suffix}${options.extension}'`, kindNames),
  );
  return [
    ...modules,
    {
      path: `${folder}/${part.index}.ts`,
      text: `${banner(kinds.map(({ definition }) => definition))}${lines.join('')}`,
    },
  ];
}

function emitDefinitions(definitions: readonly Definition[], options: EmitOptions): GeneratedFile[] {
  return [...Map.groupBy(definitions, ({ group }) => group)].flatMap(([group, members]) => {
    const modules = members.map((definition) => ({
      path: `${group}/${moduleName(definition.names.kind)}.definition.ts`,
      text: emitDefinitionConstruct(definition, options),
    }));
    const lines = members.map(
      (definition) => `export * from './${moduleName(definition.names.kind)}.definition${options.extension}';\n`,
    );
    return [...modules, { path: `${group}/definitions.ts`, text: `${banner(members)}${lines.join('')}` }];
  });
}

function sharedModules({ parts, typesFrom }: EmitOptions): SharedModule[] {
  const constructs = parts.has('constructs');
  const validators = typesFrom === undefined && (constructs || parts.has('validators'));
  return [
    ...(constructs || validators ? (['folded-json'] as const) : []),
    ...(constructs ? (['kubernetes-construct'] as const) : []),
    ...(validators ? (['kubernetes-validator'] as const) : []),
  ];
}
