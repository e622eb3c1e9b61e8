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
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * A lock file without what only development needs. `npm sbom --omit=dev` leaves out what any package of the workspace develops with, also where another one runs with it:
 * the driver of PostgreSQL was missing. Pure.
 */
function withoutDevelopment(lock: Lock): Lock {
  const kept = Object.entries(lock.packages).filter(([, { dev = false }]) => !dev);
  const packages = kept.map(([path, { devDependencies: _, ...rest }]) => [path, rest] as const);
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
