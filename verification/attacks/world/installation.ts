import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { KubernetesObject } from '@ordinal/client';
import type { OperatorInstallOptions } from '@ordinal/constructs';

const program = `
import { App } from 'cdk8s';
import { OperatorInstall } from '@ordinal/constructs';
const options = JSON.parse(process.argv[1]);
process.stdout.write(JSON.stringify(new OperatorInstall(new App(), 'attacked', options).toJson()));
`;

/** The manifests of the installation, as the given checkout makes them: in a process of its own, by that checkout's dependencies. */
export function installationOf(checkout: string, options: OperatorInstallOptions): readonly KubernetesObject[] {
  const flags = ['--conditions=ordinal-source', '--input-type=module', '--eval', program, JSON.stringify(options)];
  const cwd = join(checkout, 'apps/operator');
  const text = execFileSync(process.execPath, flags, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(text) as KubernetesObject[]; // What the construct returns.
}
