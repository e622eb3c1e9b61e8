import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const copied = ['libs', 'tools', 'apps', 'verification', 'examples/cloud-api', '*.json', 'vitest.shared.ts'];

/** Copies what git knows of the packages (or of other parts), and what is not committed yet, to a folder whose workspace packages are the copies. */
export function copyPackages(root: string, folder: string, parts: readonly string[] = copied): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...parts], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // What git knows and a user has just deleted is not there.
  for (const path of listed.split('\0').filter((text) => text !== '' && existsSync(join(root, text)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { force: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // What vitest keeps of files is kept by their path: a copy's is of no use to others, and goes when the copy goes.
    if (name === '.vitest-cache') continue;
    // The links of the workspace are relative: copied, they lead to the copies.
    if (name === '@ordinal')
      cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}
