import { join } from 'node:path';
import { insert, kebab, writeTemplates } from '../templates.js';

/**
 * Writes the skeleton of a kind: a CRD, a folder by the contract of kinds, a page, and its places in the lists. `npm run synth && npm run codegen` makes it whole.
 *
 * @param {import('../templates.js').Files} tree
 * @param {{ readonly name: string, readonly group?: string }} options
 */
export default function generateKind(tree, { name, group = 'ordinal.dev' }) {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) throw new Error(`${name} is no name of a kind: MessageQueue is one`);
  const folder = kebab(name);
  const camel = folder.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const plural = `${name.toLowerCase()}s`;
  const words = { kind: name, folder, camel, plural, singular: name.toLowerCase(), group };
  writeTemplates(tree, { from: join(import.meta.dirname, 'files'), to: '.', words });

  insert(tree, 'libs/api/src/index.ts', {
    before: "export * from './generated/statefulsets.example.com",
    text: `export * from './generated/${group}/v1/${words.singular}.ts';\n`,
  });
  insert(tree, 'libs/api/src/validation.ts', {
    before: "export * from './generated/statefulsets.example.com",
    text: `export * from './generated/${group}/v1/validators.ts';\n`,
  });
  insertClients(tree, { camel, group });
  insert(tree, 'libs/constructs/src/index.ts', {
    before: "export * from './generated/statefulsets.example.com",
    text: `export * from './generated/${group}/v1/constructs.ts';\nexport * from './generated/${group}/definitions.ts';\n`,
  });
  const kinds = 'libs/reconcilers/src/kinds.ts';
  insert(tree, kinds, {
    before: 'import type { Kind }',
    text: `import { ${camel}Kind } from './${folder}/kind.ts';\n`,
  });
  insert(tree, kinds, { before: '];', text: `  ${camel}Kind,\n` });
  insert(tree, 'tools/workspace/kind-contract/steps.ts', {
    before: "  'cloud-database': {",
    text: `  '${folder}': { steps: {} },\n`,
  });
  const install = 'libs/constructs/src/install/operator-install.ts';
  insert(tree, install, {
    before: 'import { KVStoreClusterDefinition }',
    text: `import { ${name}Definition } from '../generated/${group}/definitions.ts';\n`,
  });
  insert(tree, install, {
    before: "  new CloudDatabaseDefinition(scope, 'cloud-database-definition');",
    text: `  new ${name}Definition(scope, '${folder}-definition');\n`,
  });
}

/**
 * The typed client of the kind, beside those of the others.
 *
 * @param {import('../templates.js').Files} tree
 * @param {{ readonly camel: string, readonly group: string }} names
 */
function insertClients(tree, { camel, group }) {
  const clients = 'libs/api/src/clients.ts';
  const types = `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Clients`;
  const from = `from './generated/${group}/v1/clients.ts';\n`;
  insert(tree, clients, {
    before: 'import { clientsOf as statefulSetClientsOf }',
    text: `import { clientsOf as ${camel}ClientsOf } ${from}import type { Clients as ${types} } ${from}`,
  });
  insert(tree, clients, { before: 'StatefulSetClients {}', text: `${types}, ` });
  insert(tree, clients, {
    before: '    ...statefulSetClientsOf(client),',
    text: `    ...${camel}ClientsOf(client),\n`,
  });
}
