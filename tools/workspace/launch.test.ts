import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { launchCluster, launchOperator } from './guides/launch.ts';
import type { Running } from './guides/launch.ts';

const cache = {
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'first', namespace: 'default' },
  spec: { replicas: 1, image: 'nginx:1.27', port: 80 },
};

test('the launch configuration of VS Code starts the simulated cluster, and an operator with a debugger that keeps a cache on it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-launch-'));
  const kubeconfig = join(folder, 'simulated.kubeconfig');
  const cluster = launchCluster(kubeconfig);
  const running: Running[] = [cluster];
  try {
    await cluster.until(cluster.ends);
    const operator = launchOperator(kubeconfig, '--inspect=127.0.0.1:0');
    running.unshift(operator);
    const [, url = ''] = /listening on (\S+);/.exec(cluster.printed()) ?? [];
    const caches = `${url}/apis/cache.my.domain/v1/namespaces/default/clusteredcaches`;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(caches, { method: 'POST', headers, body: JSON.stringify(cache) })).status).toBe(201);
    await operator.until(/Debugger listening/);
    await operator.until(/ ready /);
    while (!(await (await fetch(`${caches}/first`)).text()).includes('"readyReplicas":1')) await pause(200);
  } finally {
    for (const each of running) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
