// What CI runs after `npm ci`: the components of Kubernetes, so that no test is skipped for want of them; then `npm test`, the scenarios of the search on a
// real control plane, the attacks and the end-to-end run, which Nx starts one at a time when everything else is done.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const hasGo = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')));
const run = (...parameters: readonly string[]): number =>
  spawnSync('npm', parameters, { stdio: 'inherit' }).status ?? 1;

if (!hasGo) console.log('there is no Go on the PATH to build Kubernetes with: what needs it is skipped');
if (hasGo && run('run', '-s', 'cluster', 'build') !== 0) {
  console.log('the components of Kubernetes can’t be built\n0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
} else process.exitCode = run('test', '--', 'real-histories', 'attack', 'e2e');
