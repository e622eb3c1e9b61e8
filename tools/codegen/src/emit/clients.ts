import { builtIn } from '../model/convert.ts';
import type { KindModel } from '../model/kind.ts';
import { descriptorName, inputName, moduleName } from '../model/name.ts';
import { banner } from './banner.ts';
import type { EmitOptions } from './options.ts';
import { comment } from './text.ts';

/** The typed clients of a group's version: a function from a client to one member for each kind. */
export function emitClients(kinds: readonly KindModel[], options: EmitOptions): string {
  const [first] = kinds;
  if (first === undefined) return '';
  const apiVersion = `${first.definition.group}/${first.version.name}`;
  // Namespaces, because one kind's written form may have another kind's name.
  const imports = kinds.map(
    (model) => `import * as ${alias(model)} from './${moduleName(model.definition.names.kind)}${options.extension}';\n`,
  );
  const members = kinds.map(
    (model) =>
      `${comment([`${model.definition.names.kind}: ${model.definition.scope === 'Namespaced' ? 'namespaced' : 'cluster-scoped'}.`], '  ')}  readonly ${descriptorName(model.definition.names.kind, model.definition.names.plural)}: ${builtIn}.KindClient<${alias(model)}.${model.name}, ${alias(model)}.${inputName(model.name)}>;\n`,
  );
  const entries = kinds.map((model) => {
    const name = descriptorName(model.definition.names.kind, model.definition.names.plural);
    return `    ${name}: client(${alias(model)}.${name}),\n`;
  });
  return (
    `${banner(kinds.map((model) => model.definition))}import type * as ${builtIn} from '@ordinal/client/types';\n${imports.join('')}\n` +
    `${comment([`A typed client for each kind of ${apiVersion}.`])}export interface Clients {\n${members.join('')}}\n\n` +
    `${comment([`The typed clients of ${apiVersion} on one client: \`clientsOf(client).${descriptorName(first.definition.names.kind, first.definition.names.plural)}.in(namespace).get(name)\`.`])}` +
    `export function clientsOf(client: ${builtIn}.Client): Clients {\n  return {\n${entries.join('')}  };\n}\n`
  );
}

/** A kind's module as a name in this file. No plural ends like it. */
const alias = (model: KindModel): string => `${moduleName(model.definition.names.kind).replaceAll('-', '_')}Module`;
