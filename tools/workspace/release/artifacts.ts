import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '../image/node.ts';
import { isProcessor, processors } from '../image/processors.ts';
import { chartLayout } from './chart-layout.ts';
import { makeExecutable } from './executable.ts';
import { pluginArchive } from './plugin.ts';
import { billOfMaterials, formats, type Lock } from './sbom.ts';

interface Manifest {
  readonly version: string;
  readonly workspaces: readonly string[];
}

/** What `package.json` of the workspace says. */
export const manifestOf = (root: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Builds everything that a release has from the sources in `root`, and puts it into `folder`, which is emptied first. */
export async function makeArtifacts(root: string, folder: string): Promise<void> {
  const run = (program: string, parameters: readonly string[], cwd = root): void =>
    void execFileSync(program, parameters, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const manifest = manifestOf(root);
  const { version, workspaces } = manifest;
  const dist = join(root, 'dist');
  // It empties dist, so it comes first.
  run('npm', ['run', '--silent', 'synth']);
  run('npm', ['run', '--silent', 'build']);
  run('npm', ['run', '--silent', 'image', '--', `--version=${version}`, '--processors=amd64,arm64']);
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['packages', 'image', 'chart', 'manifests', 'plugin'])
    mkdirSync(join(folder, part), { recursive: true });
  for (const path of workspaces)
    run('npm', ['pack', '--silent', '--pack-destination', join(folder, 'packages')], join(root, path));
  cpSync(join(dist, `ordinal-operator-${version}.tar`), join(folder, 'image', `ordinal-operator-${version}.tar`));
  await copyChart(join(dist, `ordinal-operator-${version}`), join(folder, 'chart', `ordinal-operator-${version}`));
  for (const name of ['install', 'monitoring', 'dashboards'])
    cpSync(join(dist, `${name}.yaml`), join(folder, 'manifests', `${name}.yaml`));
  cpSync(join(dist, 'kustomize'), join(folder, 'kustomize'), { recursive: true });
  await makePlugin(root, join(folder, 'plugin'), version);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  for (const [file, format] of Object.entries(formats))
    writeFileSync(join(folder, file), billOfMaterials(format, manifest, lock));
  cpSync(join(import.meta.dirname, 'verify.sh'), join(folder, 'verify.sh'));
}

/** The chart as Helm packs it, and as a registry keeps it. Paths are without their endings. */
async function copyChart(from: string, to: string): Promise<void> {
  const chart = readFileSync(`${from}.tgz`);
  writeFileSync(`${to}.tgz`, chart);
  writeFileSync(`${to}.oci.tar`, await chartLayout(chart));
}

/** The plugin as one file for any machine that has Node, and as one file for each processor of Linux, with Node in it. */
async function makePlugin(root: string, folder: string, version: string): Promise<void> {
  const path = (name: string): string => join(root, 'tools/kubectl-ordinal', name);
  const program = path('dist/kubectl-ordinal.mjs');
  const text = (file: string): string => readFileSync(file, 'utf8');
  const others = {
    'kubectl_complete-ordinal': text(path('bin/kubectl_complete-ordinal')),
    LICENSE: text(join(root, 'LICENSE')),
    'LICENSES-OF-OTHERS.txt': text(`${program}.LEGAL.txt`),
  };
  const write = async (name: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> =>
    writeFileSync(join(folder, `kubectl-ordinal-${version}${name}.tar.gz`), await pluginArchive(files));
  await write('', { 'kubectl-ordinal': text(program), ...others });
  const scratch = mkdtempSync(join(tmpdir(), 'ordinal-plugin-'));
  try {
    for (const processor of Object.keys(processors).filter(isProcessor)) {
      const { program: node, license } = await nodeFiles(processor, scratch);
      const [nodeFile, output] = [join(scratch, `node-${processor}`), join(scratch, `kubectl-ordinal-${processor}`)];
      writeFileSync(nodeFile, node.content, { mode: 0o755 });
      makeExecutable({ program, node: nodeFile }, output);
      const files = { 'kubectl-ordinal': readFileSync(output), ...others, 'LICENSE-OF-NODE': license };
      await write(`-linux-${processor}`, files);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
