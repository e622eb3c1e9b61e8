import { descriptorName, inputName } from '../model/name.ts';
import type { KindModel } from '../model/kind.ts';
import { banner } from './banner.ts';
import { moduleName } from './files.ts';
import type { EmitOptions } from './files.ts';
import { fill } from './text.ts';

/**
 * The index of a group's version: each kind's own types and its descriptor. The types of parts are imported from the kind's module. Where one kind's
 * derived name is another kind's name (`Cluster` and `ClusterInput`), the kind goes before and the derived name is imported from its module too.
 */
export function emitIndex(kinds: readonly KindModel[], options: EmitOptions): string {
  const kindNames = new Set(kinds.map((model) => model.name));
  const lines = kinds.map((model) => {
    const declared = new Set([
      ...model.structures.flatMap(({ name, aliases }) => [name, ...aliases]),
      ...model.borrowed.flatMap(({ aliases }) => aliases),
    ]);
    const derived = ['Spec', 'Status'].flatMap((part) => [model.name + part, inputName(model.name + part)]);
    const names = [inputName(model.name), ...derived].filter((name) => declared.has(name) && !kindNames.has(name));
    const from = `'./${moduleName(model)}${options.extension}'`;
    const types = `export type { ${fill([model.name, ...names], ', ', { indent: '  ' })} } from ${from};\n`;
    return options.parts.has('clients')
      ? `${types}export { ${descriptorName(model.definition.names.kind, model.definition.names.plural)} } from ${from};\n`
      : types;
  });
  return `${banner(kinds.map((model) => model.definition))}${lines.join('')}`;
}
