// Types, lint and format of what belongs to no package: the demo, the end-to-end run, the workspace's tools, benchmarks and examples.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** Folders with a tsconfig of their own that no package's script checks. */
const projects = [
  'tools/demo',
  'tools/e2e',
  'tools/flags',
  'tools/workspace',
  'verification/attacks',
  'verification/mutations',
  ...nested('bench'),
  'examples/own-operator',
];
/** What is linted beside them. */
const sources = ['tools/demo', 'tools/e2e', 'tools/flags', 'tools/workspace', 'verification', 'bench', 'examples'];

function nested(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, folder, entry.name, 'tsconfig.json')))
    .map((entry) => `${folder}/${entry.name}`);
}

const checks: readonly (readonly [string, ...string[]])[] = [
  ...projects.map((project) => ['tsc', '--noEmit', '-p', project] as const),
  ['eslint', ...sources, '--max-warnings', '0'],
  ['prettier', '--check', '--log-level', 'warn', ...sources, '*.{js,ts,json,md}', 'docs'],
];

let failed = 0;
for (const [program, ...parameters] of checks) {
  const { status } = spawnSync(join(root, 'node_modules/.bin', program), parameters, { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed += 1;
  console.log(`${status === 0 ? 'ok' : 'failed'}  ${[program, ...parameters].join(' ')}`);
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
