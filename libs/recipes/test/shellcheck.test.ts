import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../scripts');
const isThere = spawnSync('shellcheck', ['--version']).status === 0;

test.skipIf(!isThere)('shellcheck finds nothing in the scripts', { timeout: 120_000 }, () => {
  const scripts = globSync('*/*.sh', { cwd: folder });
  expect(scripts.length).toBeGreaterThan(6);
  execFileSync('shellcheck', ['--external-sources', ...scripts], { cwd: folder, encoding: 'utf8' });
});

test('each script is one that the shell of busybox can read', () => {
  const [shell = 'sh', ...before] = spawnSync('busybox', ['true']).status === 0 ? ['busybox', 'sh'] : ['sh'];
  for (const script of globSync('*/*.sh', { cwd: folder }))
    execFileSync(shell, [...before, '-n', script], { cwd: folder });
});
