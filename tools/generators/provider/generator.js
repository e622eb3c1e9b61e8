import { join } from 'node:path';
import { insert, writeTemplates } from '../templates.js';

/**
 * Writes the skeleton of a provider of databases, which keeps them in memory until its calls are written, its test with the conformance suite, and its place in the list.
 *
 * @param {import('../templates.js').Files} tree
 * @param {{ readonly name: string }} options
 */
export default function generateProvider(tree, { name }) {
  if (!/^[a-z][a-z0-9]*$/.test(name)) throw new Error(`${name} is no name of a provider: acme is one`);
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  writeTemplates(tree, { from: join(import.meta.dirname, 'files'), to: '.', words: { name, title } });
  const list = 'apps/operator/src/providers/database-providers.ts';
  insert(tree, list, {
    before: "import { Budgets } from './budgets.ts';",
    text: `import { ${name}Provider } from './${name}/provider.ts';\n`,
  });
  insert(tree, list, { before: 'http: httpProvider,', text: `${name}: ${name}Provider, ` });
}
