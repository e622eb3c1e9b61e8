// `npx nx run workspace:packages`, which builds them first. Packs every package as it would be published, checks the archives, and installs and imports them in an empty project outside the workspace.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
}

const root = join(import.meta.dirname, '..', '..');
const node = process.execPath;
const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const run = (program: string, parameters: readonly string[], cwd: string): string =>
  execFileSync(program, parameters, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 << 20 });

const folders = (read(root).workspaces ?? [])
  .map((folder) => join(root, folder))
  .filter((folder) => !read(folder).private);
const scratch = mkdtempSync(join(tmpdir(), 'ordinal-packages-'));
let passed = 0;
let failed = 0;

function check(name: string, action: () => void): void {
  try {
    action();
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    const output = error as { stdout?: string; stderr?: string };
    console.log(`failed  ${name}\n${output.stdout ?? ''}${output.stderr ?? ''}${String(error)}`);
  }
}

/** The import specifiers that a package promises, without wildcards and its manifest. */
function entriesOf(manifest: Manifest): readonly string[] {
  return Object.keys(manifest.exports ?? {})
    .filter((entry) => !entry.includes('*') && entry !== './package.json')
    .map((entry) => manifest.name + entry.slice(1));
}

try {
  const archives = new Map<string, string>();
  for (const folder of folders) {
    const { name } = read(folder);
    check(`${name}: pack`, () => {
      const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], folder)) as [
        { filename: string },
      ];
      archives.set(name, join(scratch, packed.filename));
    });
    const archive = archives.get(name);
    if (archive === undefined) continue;
    check(`${name}: publint`, () => run('npx', ['publint', '--strict', archive], root));
    check(`${name}: types resolve`, () =>
      run('npx', ['attw', archive, '--profile', 'esm-only', '--format', 'table'], root),
    );
  }
  check('npx runs the plugin from its archive alone, asking no registry', () => {
    const archive = archives.get('@ordinal/kubectl-ordinal') ?? '';
    const words = ['--yes', '--offline', '--cache', join(scratch, 'cache'), '--package', archive, 'kubectl-ordinal'];
    const empty = mkdtempSync(join(scratch, 'empty-'));
    const said = run('npx', [...words, '--version'], empty).trim();
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    if (said !== version) throw new Error(`it says ${said}, and not ${version}`);
    if (!run('npx', [...words, '--help'], empty).includes('what-if')) throw new Error('its help has no what-if');
  });
  const project = mkdtempSync(join(tmpdir(), 'ordinal-consumer-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  check('install all of them in an empty project', () =>
    run('npm', ['install', '--no-audit', '--no-fund', ...archives.values()], project),
  );
  for (const folder of folders) {
    for (const entry of entriesOf(read(folder))) {
      check(`import ${entry}`, () =>
        run(node, ['--input-type=module', '--eval', `await import(${JSON.stringify(entry)})`], project),
      );
    }
  }
  rmSync(project, { recursive: true, force: true });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
