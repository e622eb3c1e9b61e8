import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster, kubeconfigOf, listen } from '../src/index.ts';
import type { Listening } from '../src/index.ts';

/**
 * An operator written with controller-runtime, as it is, on the simulated cluster. It is not part of this project: `ORDINAL_GO_OPERATOR` names its directory,
 * and Go has to be on the PATH. It has to serve ClusteredCaches of `cache.my.domain/v1` (replicas, image; a Service, a budget and a StatefulSet of the same
 * name; the condition Available), and to speak protobuf when `PROTOBUF` is set.
 */
const source = process.env['ORDINAL_GO_OPERATOR'];
const group = 'cache.my.domain';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `clusteredcaches.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'clusteredcaches', kind: 'ClusteredCache' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};

let directory: string;
let cluster: SimulatedCluster;
let listening: Listening;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'controller-runtime-'));
  cluster = await SimulatedCluster.start({ crds: [definition], pace: 1 });
  void cluster.keepRunning();
  listening = await listen(cluster);
  writeFileSync(join(directory, 'kubeconfig'), kubeconfigOf({ server: listening.url }));
});
afterEach(async () => {
  cluster.stop();
  await listening.close();
  rmSync(directory, { recursive: true, force: true });
});

const caches = `/apis/${group}/v1/namespaces/default/clusteredcaches`;

async function call(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${listening.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** Looks until it is so; a minute at most. */
async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  for (let left = 600; left > 0; left -= 1) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it has not come to that within a minute');
}

// Which kind it is matters not: only whether there is such an object.
const children = (): number =>
  [statefulSets, services, podDisruptionBudgets].filter(
    (kind) => cluster.objects.find(kind as typeof statefulSets, 'default', 'mine') !== undefined,
  ).length;

test.skipIf(source === undefined).each(['', '1'])(
  'an operator with controller-runtime converges and cleans up (PROTOBUF=%s)',
  { timeout: 900_000 },
  async (protobuf) => {
    const program = join(directory, 'operator');
    await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: source });
    const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), PROTOBUF: protobuf };
    const operator = spawn(program, { env, stdio: 'ignore' });
    try {
      const spec = { replicas: 3, image: 'cache:1' };
      const body = { apiVersion: `${group}/v1`, kind: 'ClusteredCache', metadata: { name: 'mine' }, spec };
      expect(await call('POST', caches, body)).toMatchObject({ status: 201 });
      await until(async () => (await call('GET', `${caches}/mine`)).text.includes('AllReplicasReady'));
      expect(children()).toBe(3);
      await call('DELETE', `${caches}/mine`);
      await until(async () => (await call('GET', `${caches}/mine`)).status === 404);
      await until(() => children() === 0);
    } finally {
      operator.kill();
    }
  },
);
