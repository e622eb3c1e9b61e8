import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ordinal-promtool');

/** A program of Prometheus, or why there is none: the one on the PATH, or else that of Debian's package, which is kept in the cache. */
export function findPrometheus(
  name: 'prometheus' | 'promtool',
): { readonly program: string } | { readonly missing: string } {
  if (answers(name)) return { program: name };
  const program = join(cache, 'usr', 'bin', name);
  if (answers(program)) return { program };
  if (!existsSync('/usr/bin/apt-get'))
    return { missing: `there is no ${name} on the PATH, and no apt-get to fetch it with` };
  mkdirSync(cache, { recursive: true });
  try {
    const options = { cwd: cache, stdio: 'pipe' } as const;
    // A machine that was just made has no package lists yet.
    try {
      execFileSync('apt-get', ['download', 'prometheus'], options);
    } catch {
      execFileSync('apt-get', ['update', '-qq'], options);
      execFileSync('apt-get', ['download', 'prometheus'], options);
    }
    const archive = readdirSync(cache).find((name) => name.endsWith('.deb')) ?? '';
    execFileSync('dpkg-deb', ['--extract', archive, cache], options);
    rmSync(join(cache, archive));
  } catch (error) {
    return { missing: `Debian's package prometheus can't be fetched: ${String(error).split('\n')[0] ?? ''}` };
  }
  return answers(program) ? { program } : { missing: `the ${name} of Debian does not run here` };
}

function answers(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
