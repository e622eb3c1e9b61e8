// The options of TypeDoc. `npm run reference` writes dist/reference; `npm test` writes nothing, and fails where an export has no docstring, a docstring has a link
// that leads nowhere, or a type that others need is not exported.
import { OptionDefaults } from 'typedoc';
import { join } from 'node:path';
import { modules, root } from './packages.js';

export default {
  name: 'Ordinal',
  entryPoints: modules.map(({ file }) => join(root, file)),
  tsconfig: join(import.meta.dirname, 'tsconfig.packages.json'),
  plugin: [join(import.meta.dirname, 'names.js')],
  out: join(root, 'dist', 'reference'),
  readme: 'none',
  basePath: root,
  disableGit: true,
  disableSources: true,
  excludeInternal: true,
  // Of a CRD's field that can't be changed; of a list that is not empty.
  blockTags: [...OptionDefaults.blockTags, '@immutable', '@minItems'],
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
  requiredToBeDocumented: ['Class', 'Enum', 'Function', 'Interface', 'TypeAlias', 'Variable'],
};
