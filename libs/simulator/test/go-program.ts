import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A program that was built, or why none was. */
export type GoProgram = { readonly path: string } | { readonly skipped: string };

const run = promisify(execFile);
const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/go-programs');

/**
 * Builds the Go program of a directory, once for each content of its files: it is kept in `node_modules/.cache`. Skipped where Go is not on the PATH, or its
 * modules can't be had; a build that fails rejects.
 */
export async function goProgram(source: string): Promise<GoProgram> {
  const hash = createHash('sha256');
  for (const name of readdirSync(source).sort()) hash.update(name).update(readFileSync(join(source, name)));
  const path = join(cache, `${basename(source)}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(path)) return { path };
  try {
    await run('go', ['version']);
  } catch {
    return { skipped: `Go is not on the PATH, and ${basename(source)} was not built before` };
  }
  try {
    await run('go', ['mod', 'download'], { cwd: source });
  } catch (error) {
    return { skipped: `the modules of ${basename(source)} can't be downloaded: ${String(error).slice(0, 300)}` };
  }
  mkdirSync(cache, { recursive: true });
  // Under a name of its own until it is whole: two runs may build at the same time.
  const unfinished = `${path}.${process.pid}`;
  await run('go', ['build', '-o', unfinished, '.'], { cwd: source });
  renameSync(unfinished, path);
  return { path };
}
