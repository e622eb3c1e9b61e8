import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is read of a lock file. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Programs of one file, installed alone: what they need is in that file, and their packages name it as what they are developed with. */
const inlining: ReadonlySet<string> = new Set(['tools/kubectl-ordinal']);

/** What the program of such a package has in it: all but the types. */
const inlinedBy = ({ devDependencies = {} }: LockedPackage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(devDependencies).filter(([name]) => !name.startsWith('@types/')));

/** Where the lock file has a package that the one at `from` names: as Node looks for it, in the nearest `node_modules`. */
function found(name: string, from: string, { packages }: Lock): string | undefined {
  for (let folder = from; ; folder = folder.replace(/\/?[^/]*$/, '')) {
    const path = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

/** All that the programs of one file have in them, by its place in the lock file. */
function inlined(lock: Lock): ReadonlySet<string> {
  const all = new Set<string>();
  const take = (names: readonly string[], from: string): void => {
    for (const path of names.flatMap((name) => found(name, from, lock) ?? [])) {
      if (all.has(path)) continue;
      all.add(path);
      take(Object.keys(lock.packages[path]?.dependencies ?? {}), path);
    }
  };
  for (const path of inlining) take(Object.keys(inlinedBy(lock.packages[path] ?? {})), path);
  return all;
}

/**
 * A lock file without what only development needs. `npm sbom --omit=dev` leaves out what any package of the workspace develops with, also where another one runs with it:
 * the driver of PostgreSQL was missing. Pure.
 */
function withoutDevelopment(lock: Lock): Lock {
  const needed = inlined(lock);
  const kept = Object.entries(lock.packages).filter(([path, { dev = false }]) => !dev || needed.has(path));
  const packages = kept.map(([path, each]) => {
    const { devDependencies: _, dev: _dev, ...rest } = each;
    return [path, inlining.has(path) ? { ...rest, dependencies: inlinedBy(each) } : rest] as const;
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** The formats of a bill of materials, by the file that has it. */
export const formats = { 'sbom.cdx.json': 'cyclonedx', 'sbom.spdx.json': 'spdx' } as const;

/** What the programs and packages of this workspace run with, as `npm sbom` writes it. Nothing is installed or asked for: the lock file says it all. */
export function billOfMaterials(format: (typeof formats)[keyof typeof formats], manifest: object, lock: Lock): string {
  const scratch = mkdtempSync(join(tmpdir(), 'ordinal-sbom-'));
  try {
    // The folder's name becomes that of the whole.
    const folder = join(scratch, 'ordinal');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, devDependencies: {} }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(withoutDevelopment(lock)));
    return execFileSync('npm', ['sbom', '--package-lock-only', `--sbom-format=${format}`], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
