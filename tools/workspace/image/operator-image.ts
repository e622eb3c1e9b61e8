import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { imageArchive, type PlatformImage } from './archive.ts';
import { debianLibraries } from './debian.ts';
import { packLayer, type Entry, type Layer } from './layer.ts';
import { nodeProgram } from './node.ts';
import { nodeVersion, ownProcessor, type Processor } from './processors.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const user = 65532;

/**
 * How the program is started. The heap's young generation is kept small: an operator's garbage is short-lived, and its memory is what a cluster pays for. The
 * allocator gives back what was needed for the start only. Together 18 MiB less at rest. The heap may grow by 30% before it is collected, where V8 alone lets it grow
 * to three times what lives: a busy operator of thousands of resources needs a quarter less (docs/evidence/benchmarks/external.md), and no more CPU.
 */
export const runtime = {
  user: `${user}:${user}`,
  flags: ['--max-semi-space-size=2', '--heap-growing-percent=30'],
  program: '/app/ordinal-operator.mjs',
  environment: [
    'NODE_ENV=production',
    'MALLOC_ARENA_MAX=1',
    'MALLOC_TRIM_THRESHOLD_=131072',
    'MALLOC_MMAP_THRESHOLD_=65536',
  ],
} as const;

/** The version of the operator's package. */
export function operatorVersion(): string {
  const manifest = JSON.parse(readFileSync(join(root, 'apps/operator/package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

const inImage = (source: string, path = source, mode = 0o755): Entry => ({
  kind: 'file',
  path: path.slice(1),
  content: readFileSync(realpathSync(source)),
  mode,
});

/** The shared libraries that a program names, as the dynamic linker finds them here. */
function librariesOf(program: string): readonly string[] {
  const listing = execFileSync('ldd', [program], { encoding: 'utf8' });
  const paths = [...listing.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path ?? '');
  // Name resolution loads these by name at run time, so ldd does not list them.
  const byName = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'].map((library) =>
    join(dirname(paths.find((path) => path.endsWith('/libc.so.6')) ?? '/lib'), library),
  );
  return [...new Set([...paths, ...byName])];
}

/** Every folder above the files, so that none is left to the runtime's umask. */
function foldersOf(entries: readonly Entry[]): readonly Entry[] {
  const folders = new Set<string>();
  for (const entry of entries)
    for (let path = dirname(entry.path); path !== '.'; path = dirname(path)) folders.add(path);
  return [...folders].map((path) => ({ kind: 'folder', path }));
}

/** The image's name, of a version. */
export const imageName = (version: string): string => `docker.io/ordinal/operator:${version}`;

/** The base layer of an image, for one processor. */
interface Base {
  readonly processor: Processor;
  /** Node, and the libraries that it loads. */
  readonly entries: readonly Entry[];
}

/** This machine's own: the Node that runs this, and what it is linked with here. Nothing is fetched. */
function ownBase(): Base {
  const node = process.execPath;
  return {
    processor: ownProcessor(),
    entries: [inImage(node, '/usr/bin/node'), ...librariesOf(node).map((library) => inImage(library))],
  };
}

/** A processor's: Node of the npm registry and Debian's libraries, whatever this machine is. */
async function fetchedBase(processor: Processor, folder: string): Promise<Base> {
  const { entries, packages } = await debianLibraries(processor, folder);
  console.log(`${processor}: Node ${nodeVersion}, ${packages.join(', ')}`);
  return { processor, entries: [await nodeProgram(processor, folder), ...entries] };
}

const accounts: readonly Entry[] = [
  {
    kind: 'file',
    path: 'etc/passwd',
    content: Buffer.from(`root:x:0:0:root:/:/bin/false\noperator:x:${user}:${user}:operator:/app:/bin/false\n`),
  },
  { kind: 'file', path: 'etc/group', content: Buffer.from(`root:x:0:\noperator:x:${user}:\n`) },
  { kind: 'file', path: 'etc/nsswitch.conf', content: Buffer.from('hosts: files dns\n') },
  { kind: 'folder', path: 'tmp', mode: 0o1777 },
];

const packed = (entries: readonly Entry[]): Promise<Layer> => packLayer([...foldersOf(entries), ...entries]);

/** What an image is made for. */
export interface ImageOptions {
  readonly version: string;
  /** Without them it is made of this machine's own Node and libraries, for its processor. */
  readonly processors?: readonly Processor[];
}

/**
 * Bundles the operator into the folder and packs its image: Node, the libraries that it loads, and the program; nothing else. The same sources and the same machine give the same
 * bytes; with `processors` any machine gives them, as long as Debian's packages are the same.
 */
export async function buildOperatorImage(
  folder: string,
  { version, processors: wanted }: ImageOptions,
): Promise<Uint8Array> {
  const bundle = join(root, 'apps/operator/bundle.ts');
  execFileSync(process.execPath, [bundle, `--out=${folder}`, `--version=${version}`], { stdio: 'ignore' });
  const program = await packed([
    inImage(join(folder, 'ordinal-operator.mjs'), runtime.program, 0o644),
    inImage(join(root, 'LICENSE'), '/app/LICENSE', 0o644),
  ]);
  const imageOn = async ({ processor, entries }: Base): Promise<PlatformImage> => ({
    processor,
    layers: [await packed([...entries, ...accounts]), program],
  });
  const images: PlatformImage[] = wanted === undefined ? [await imageOn(ownBase())] : [];
  for (const processor of wanted ?? []) images.push(await imageOn(await fetchedBase(processor, folder)));
  return imageArchive(imageName(version), images, {
    entrypoint: ['/usr/bin/node', ...runtime.flags, runtime.program],
    user: runtime.user,
    workingDirectory: '/app',
    environment: runtime.environment,
    labels: {
      'org.opencontainers.image.title': 'ordinal-operator',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  });
}
