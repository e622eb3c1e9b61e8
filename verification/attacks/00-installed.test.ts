import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from './world/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ flags: ['--webhook-shutdown-delay=10s'] });
});

afterAll(() => world.stop());

test('the operator that is attacked runs under its own account and misses no right', async () => {
  expect(await world.operator.isReady()).toBe(true);
  expect(world.operator.log).not.toMatch(/[Ff]orbidden|"missing":/);
});

test('its webhooks judge what users create', async () => {
  const store = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'one', namespace: 'asked' },
    spec: { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
  };
  const rules = [{ apiGroups: ['kvstore.example.com'], resources: ['kvstoreclusters'], verbs: ['create'] }];
  await world.allow('mallory', 'asked', rules);
  const path = '/apis/kvstore.example.com/v1/namespaces/asked/kvstoreclusters';
  await expect(world.as('mallory').request('POST', path, { body: store })).rejects.toThrow(
    'mallory may not create statefulsets.apps in namespace asked',
  );
});

test('asked to end, it releases its lease at once and serves its webhooks on', async () => {
  const { operator, admin } = world;
  const path = '/apis/coordination.k8s.io/v1/namespaces/ordinal-system/leases/ordinal-operator';
  const holder = async (): Promise<string | undefined> =>
    ((await admin.request('GET', path)) as { readonly spec: { readonly holderIdentity?: string } }).spec.holderIdentity;
  // The lease may still be that of an operator before this one, which was killed.
  await expect.poll(() => operator.log, { timeout: 60_000 }).toContain('"msg":"leading"');
  const store = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'two', namespace: 'asked' },
    spec: { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
  };
  const isAnswered = (): Promise<boolean> =>
    world
      .as('mallory')
      .request('POST', '/apis/kvstore.example.com/v1/namespaces/asked/kvstoreclusters', { body: store })
      .then(
        () => false,
        (error: unknown) => String(error).includes('may not create statefulsets.apps'),
      );
  operator.terminate();
  for (let answered = 0, isReleased = false; answered < 10 || !isReleased; answered += 1) {
    expect(await isAnswered()).toBe(true);
    isReleased ||= !(await holder());
  }
  expect(operator.isRunning).toBe(true);
  await expect.poll(() => operator.isRunning, { timeout: 30_000 }).toBe(false);
});
