import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  cpSync(join(dist, `ordinal-operator-${version}.tgz`), join(folder, 'chart', `ordinal-operator-${version}.tgz`));
  for (const name of ['install', 'monitoring', 'dashboards'])
    cpSync(join(dist, `${name}.yaml`), join(folder, 'manifests', `${name}.yaml`));
  cpSync(join(dist, 'kustomize'), join(folder, 'kustomize'), { recursive: true });
  writeFileSync(join(folder, 'plugin', `kubectl-ordinal-${version}.tar.gz`), await pluginArchive(pluginFiles(root)));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  for (const [file, format] of Object.entries(formats))
    writeFileSync(join(folder, file), billOfMaterials(format, manifest, lock));
  cpSync(join(import.meta.dirname, 'verify.sh'), join(folder, 'verify.sh'));
}

function pluginFiles(root: string): Readonly<Record<string, string>> {
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  return {
    'kubectl-ordinal': text('tools/kubectl-ordinal/dist/kubectl-ordinal.mjs'),
    'kubectl_complete-ordinal': text('tools/kubectl-ordinal/bin/kubectl_complete-ordinal'),
    LICENSE: text('LICENSE'),
  };
}
