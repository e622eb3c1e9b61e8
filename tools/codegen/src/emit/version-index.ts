import { descriptorName, inputName, moduleName } from '../model/name.ts';
import type { KindModel } from '../model/kind.ts';
import { banner } from './banner.ts';
import type { EmitOptions } from './options.ts';
import { fill } from './text.ts';

/**
 * The index of a group's version: each kind's own types and its descriptor, and every type of the kind's module below the kind's name with an underscore
 * (`Certificate_.CertificateSpec_IssuerRef`). No kind's name ends so: what stands there stays, whatever kinds are added. Where one kind's derived name is
 * another kind's name (`Cluster` and `ClusterInput`), the short name is the kind's, and a line says where the derived one is.
 */
export function emitIndex(kinds: readonly KindModel[], options: EmitOptions): string {
  const kindNames = new Set(kinds.map((model) => model.name));
  const lines = kinds.map((model) => {
    const derived = derivedNames(model);
    const names = [model.name, ...derived.filter((name) => !kindNames.has(name))];
    const taken = derived.filter((name) => kindNames.has(name));
    const from = `'./${moduleName(model.definition.names.kind)}${options.extension}'`;
    const { kind, plural } = model.definition.names;
    return [
      ...taken.map((name) => `// ${name} is a kind of its own: that of ${model.name} is ${model.name}_.${name}.\n`),
      `export type { ${fill(names, ', ', { indent: '  ' })} } from ${from};\n`,
      `export type * as ${model.name}_ from ${from};\n`,
      ...(options.parts.has('clients') ? [`export { ${descriptorName(kind, plural)} } from ${from};\n`] : []),
    ].join('');
  });
  return `${banner(kinds.map((model) => model.definition))}${lines.join('')}`;
}

/** The names of the written form, of spec and of status, as far as the kind has them. */
function derivedNames({ name, structures, borrowed }: KindModel): string[] {
  const declared = new Set([
    ...structures.flatMap((structure) => [structure.name, ...structure.aliases]),
    ...borrowed.flatMap(({ aliases }) => aliases),
  ]);
  const parts = ['Spec', 'Status'].flatMap((part) => [name + part, inputName(name + part)]);
  return [inputName(name), ...parts].filter((derived) => declared.has(derived));
}
