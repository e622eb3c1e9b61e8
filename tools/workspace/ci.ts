// What CI runs after `npm ci`: programs from Debian that tests use, and the components of Kubernetes, so that no test is skipped for want of them; then `npm test` with
// the attacks, a share of Kubernetes' conformance tests, and Redis' recipe with Valkey, where it is there; and what Nx starts one at a time when everything else is done:
// the scenarios of the search on a real control plane, and the end-to-end run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testPackages } from './test-programs.ts';

/** Whether a program is on the PATH. The shell of busybox has to run the other tools of busybox: Debian's `busybox-static`, which the tests need, replaces one that does not. */
const has = (program: string): boolean =>
  program === 'busybox'
    ? spawnSync('busybox', ['sh', '-c', 'PATH=/nowhere; basename a']).status === 0
    : (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
const run = (program: string, ...parameters: readonly string[]): number =>
  spawnSync(program, parameters, { stdio: 'inherit' }).status ?? 1;

/** Installs what is missing of the programs, and prints what stays away. */
function installPrograms(): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && has('apt-get')) run('apt-get', 'update', '-qq');
  const offers = (name: string): boolean => spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0;
  const { install, skipped } = testPackages({ has, isRoot, offers });
  const flags = ['install', '-y', '-qq', '--no-install-recommends'];
  if (install.length > 0 && run('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...flags, ...install) !== 0)
    console.log(`installing ${install.join(', ')} failed: what needs them is skipped`);
  for (const line of skipped) console.log(line);
}

installPrograms();
if (!has('go')) console.log('there is no Go on the PATH to build Kubernetes with: what needs it is skipped');
if (has('go') && run('npm', 'run', '-s', 'cluster', 'build') !== 0) {
  console.log('the components of Kubernetes can’t be built\n0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
} else {
  const valkey = has('valkey-server') ? ['valkey'] : [];
  // Five minutes of Kubernetes' own tests, another share for each commit. The suite is built with Go.
  const share = has('go') ? ['early-share'] : [];
  // Nx begins with what most others depend on. Without the targets that are called early, what takes longest would begin last, and end alone.
  const tasks = ['early', ...share, 'attack', 'real-histories', 'e2e', ...valkey];
  // Two of the long ones wait most of the time, for servers or for their own clocks: with a third task the processors have something to do meanwhile. With a fourth, tests with
  // time limits have less than half of a processor.
  process.exitCode = run('npm', 'test', '--', ...tasks, '--parallel=3');
}
