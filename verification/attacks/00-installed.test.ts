import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from './world/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
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
