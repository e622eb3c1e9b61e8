import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

/** As large as the API server takes an object, nearly. */
const bytes = 1_300_000;
/** As long as the schema lets the message of a condition be. */
const messageLength = 32_768;
const maxMiB = 250;
const stores = '/apis/kvstore.example.com/v1/namespaces';
const merge = { 'content-type': 'application/merge-patch+json' };

let world: World;

beforeAll(async () => {
  world = await startWorld({ heapMiB: 256 });
  const rules = [
    { apiGroups: ['kvstore.example.com'], resources: ['kvstoreclusters', 'kvstoreclusters/status'], verbs: ['*'] },
    { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['create'] },
  ];
  await world.allow('mallory', 'hoarder', rules);
  await world.allow('alice', 'shop', rules);
  // OwnerReferencesPermissionEnforcement learns of new definitions some seconds after they are served.
  await servedMs(world.as('alice'), 'first');
});

afterAll(() => world.stop());

interface WithStatus {
  readonly status?: { readonly seal?: string; readonly conditions?: readonly { readonly type: string }[] };
}

/** Resolves when the status of the object is short and sealed, with the object. */
function shortAgain(path: string): Promise<WithStatus> {
  return vi.waitFor(
    async () => {
      const object = (await world.admin.request('GET', path)) as WithStatus;
      expect(JSON.stringify(object.status).length).toBeLessThan(10_000);
      expect(object.status).toHaveProperty('seal');
      return object;
    },
    { timeout: 30_000, interval: 200 },
  );
}

const store = (name: string, namespace: string, filling: string): object => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name, namespace },
  spec: {
    ...{ version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
    podTemplate: {
      spec: { containers: [{ name: 'store', image: 'registry.invalid/kv:1', env: [{ name: 'A', value: filling }] }] },
    },
  },
});

/** Resolves when the namespace's cluster has its StatefulSet, with how long that took in milliseconds. */
async function servedMs(user: Client, name: string): Promise<number> {
  const begun = performance.now();
  await user.request('POST', `${stores}/shop/kvstoreclusters`, { body: store(name, 'shop', '') });
  for (;;) {
    const set = await world.admin
      .request('GET', `/apis/apps/v1/namespaces/shop/statefulsets/${name}`)
      .catch(() => undefined);
    if (set !== undefined) return performance.now() - begun;
    if (performance.now() - begun > 60_000) throw new Error(`not served: ${world.operator.log.slice(-6000)}`);
    await pause(50);
  }
}

test('a spec of more than a megabyte is refused', async () => {
  const body = store('huge', 'hoarder', 'x'.repeat(bytes));
  const answer = await world
    .as('mallory')
    .request('POST', `${stores}/hoarder/kvstoreclusters`, { body })
    .then(() => 'stored', String);
  expect(answer).toMatch(/spec takes 1300\d\d\d characters as JSON/);
});

test('statuses of more than a megabyte are taken out, and hold up no other object', async () => {
  const path = `${stores}/hoarder/kvstoreclusters`;
  const mallory = world.as('mallory');
  await mallory.request('POST', path, { body: store('small', 'hoarder', '') });
  const body = { status: { phase: 'Ready', currentVersion: 'x'.repeat(bytes) } };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await mallory.request('PATCH', `${path}/small/status`, { body, headers: merge });
    await pause(200);
  }
  expect(await servedMs(world.as('alice'), 'carts')).toBeLessThan(5_000);
  await shortAgain(`${path}/small`);
  expect(world.operator.isRunning).toBe(true);
  expect(world.operator.residentMiB).toBeLessThan(maxMiB);
});

test('long conditions beside a status that stays as the operator has sealed it are taken out', async () => {
  const path = `${stores}/hoarder/kvstoreclusters/small`;
  await shortAgain(path);
  const conditions = Array.from({ length: 20 }, (_, index) => ({
    ...{ type: `Foreign${index}`, status: 'True', reason: 'Foreign', message: 'x'.repeat(messageLength) },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  const body = { status: { conditions } };
  const answer = await world.as('mallory').request('PATCH', `${path}/status`, { body, headers: merge });
  expect(JSON.stringify(answer).length).toBeGreaterThan(20 * messageLength);
  const { status } = await shortAgain(path);
  expect(status?.conditions?.map(({ type }) => type) ?? []).not.toContain('Foreign0');
});
