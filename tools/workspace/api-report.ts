import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { declarationsOf, workspaceOptions } from './api-report/declarations.ts';
import type { Entry } from './api-report/declarations.ts';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, { readonly 'ordinal-source'?: string } | string>>;
}

interface Package {
  readonly folder: string;
  readonly entries: readonly Entry[];
}

/** The packages that are published, with the source of each entry. */
function publishedPackages(): readonly Package[] {
  const folders = [
    ...readdirSync(join(root, 'libs')).map((name) => join(root, 'libs', name)),
    join(root, 'tools/codegen'),
  ];
  return folders
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest: { name, exports = {} } }) => ({
      folder,
      entries: Object.entries(exports).flatMap(([entry, target]) => {
        const source = typeof target === 'string' ? undefined : target['ordinal-source'];
        return source === undefined || source.includes('*') || !source.endsWith('.ts')
          ? []
          : [{ specifier: name + entry.slice(1), file: join(folder, source) }];
      }),
    }));
}

/** The reports of the public types of all packages: which differ from what is written in `api-report.txt`. Without `check` they are written. */
export function updateApiReports({ check }: { readonly check: boolean }): readonly string[] {
  const packages = publishedPackages();
  const declarations = declarationsOf(
    packages.flatMap(({ entries }) => entries),
    workspaceOptions(root),
  );
  return packages.flatMap(({ folder, entries }) => {
    const sections = entries.map(({ specifier }) => `// ${specifier}\n\n${declarations.get(specifier) ?? ''}\n`);
    const text = `// Written by "npm run codegen": what this package exports. A change here is a change for those who import it.\n\n${sections.join('\n')}`;
    const file = join(folder, 'api-report.txt');
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return [];
    if (!check) writeFileSync(file, text);
    return [relative(root, file)];
  });
}
