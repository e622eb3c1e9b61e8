import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './layer.ts';
import type { Processor } from './processors.ts';
import { unpacked } from './unpack.ts';

/** What Node is linked with, and what glibc loads by name. The same names in every release. */
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];
/** The same release as that of the Dockerfile's base. */
const suite = 'bookworm';
/** Megabytes that only conversions between character sets and profilers need are left out. */
const isLibrary = (path: string): boolean =>
  /^(usr\/)?lib(64)?\//.test(path) && /\.so(\.[\d.]+)?$/.test(path) && !/\/(gconv|audit)\//.test(path);

/** Shared libraries from Debian packages, and the packages' names with their versions. */
export interface Libraries {
  readonly entries: readonly Entry[];
  readonly packages: readonly string[];
}

/**
 * The shared libraries that Node needs on a processor, from Debian's packages, whatever this machine is and has installed: apt checks their signatures. The lists and archives are
 * kept in the folder, apart from the machine's own. Throws where there is no apt, or where it can't fetch them.
 */
export async function debianLibraries(processor: Processor, folder: string): Promise<Libraries> {
  const archives = fetched(processor, folder);
  const entries: Entry[] = [];
  for (const archive of archives) {
    const files = execFileSync('dpkg-deb', ['--fsys-tarfile', archive], { maxBuffer: 1 << 30 });
    entries.push(...(await unpacked(files, isLibrary)));
  }
  return { entries, packages: archives.map((archive) => decodeURIComponent(archive.split('/').at(-1) ?? '')) };
}

/** Fetches the packages for a processor, and returns where they are. */
function fetched(processor: Processor, folder: string): readonly string[] {
  const own = join(folder, `debian-${processor}`);
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'packages'])
    mkdirSync(join(own, part), { recursive: true });
  const options = [
    ['Dir::State', join(own, 'state')],
    ['Dir::State::status', '/dev/null'],
    ['Dir::Cache', join(own, 'cache')],
    ['APT::Architecture', processor],
    ['APT::Architectures', processor],
    ['APT::Default-Release', suite],
    // The folder belongs to the user that runs this, and not to apt's own.
    ['APT::Sandbox::User', ''],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...words: readonly string[]): void =>
    void execFileSync('apt-get', ['-qq', ...options, ...words], {
      cwd: join(own, 'packages'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  apt('update');
  apt('download', ...packages);
  return readdirSync(join(own, 'packages'))
    .sort()
    .map((name) => join(own, 'packages', name));
}
