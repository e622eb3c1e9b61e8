// The packages that are published, and the modules that each of them exports.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the workspace. */
export const root = join(import.meta.dirname, '..', '..');

/** The modules: the name by which they are imported, the file (from the root), and what the package is for. */
export const modules = globSync(['libs/*/package.json', 'tools/codegen/package.json'], { cwd: root })
  .toSorted()
  .flatMap(modulesOf);

function modulesOf(file) {
  const { name, description, exports } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return Object.entries(exports)
    .filter(([, targets]) => targets['ordinal-source'] !== undefined)
    .map(([path, targets]) => ({
      name: join(name, path),
      description: path === '.' ? description : '',
      file: join(file, '..', targets['ordinal-source']),
    }));
}
