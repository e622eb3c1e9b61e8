import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster, kubeconfigOf, listen } from '../src/index.ts';
import type { Listening } from '../src/index.ts';
import { goProgram } from './go-program.ts';
import type { GoProgram } from './go-program.ts';

/** An operator written in Go with controller-runtime, in `controller-runtime/`, on the simulated cluster. Without Go it is skipped. */
const group = 'example.com';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `caches.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'caches', kind: 'Cache' },
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

let built: GoProgram;
let directory: string;
let cluster: SimulatedCluster;
let listening: Listening;

beforeAll(async () => {
  built = await goProgram(join(import.meta.dirname, 'controller-runtime'));
}, 900_000);
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

const caches = `/apis/${group}/v1/namespaces/default/caches`;

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

test.for(['', '1'])(
  'an operator with controller-runtime converges and cleans up (PROTOBUF=%s)',
  { timeout: 120_000 },
  async (protobuf, { skip }) => {
    if ('skipped' in built) return skip(built.skipped);
    const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), PROTOBUF: protobuf };
    const operator = spawn(built.path, { env, stdio: 'ignore' });
    try {
      const spec = { replicas: 3, image: 'cache:1' };
      const body = { apiVersion: `${group}/v1`, kind: 'Cache', metadata: { name: 'mine' }, spec };
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
