import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test('the program says that the API server can’t be reached', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-ordinal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  // Nothing listens at port 1.
  const clusters = [{ name: 'gone', cluster: { server: 'http://127.0.0.1:1' } }];
  const contexts = [{ name: 'gone', context: { cluster: 'gone', user: 'me' } }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'gone',
    clusters,
    contexts,
    users: [{ name: 'me', user: {} }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const main = join(import.meta.dirname, '../src/main.ts');
  const flags = ['--conditions=ordinal-source', main, 'status', '--kubeconfig', kubeconfig];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect(stderr).toContain('is this the right cluster?');
  expect(status).toBe(1);
});
