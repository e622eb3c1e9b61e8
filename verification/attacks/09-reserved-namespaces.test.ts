import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

// Resources of our kinds in kube-system would have the operator act where the cluster itself lives.

let world: World;
const path = '/apis/kvstore.example.com/v1/namespaces/kube-system/kvstoreclusters';
const store = (name: string): object => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name, namespace: 'kube-system' },
  spec: { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
});

afterAll(() => world.stop());

beforeAll(async () => {
  // Without webhooks at first, as if the resource had come before there was an operator.
  world = await startWorld({ operator: false, install: { webhooks: false } });
  await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
  await world.admin.request('POST', path, { body: store('before') });
  await world.stop();
  world = await startWorld();
});

test('a new one is refused, whoever writes it', async () => {
  await expect(world.admin.request('POST', path, { body: store('new') })).rejects.toThrow(
    'the operator keeps no resources in namespace kube-system',
  );
});

test('one that is there is left alone, and says so', async () => {
  type Stored = KubernetesObject & {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] };
  };
  const deadline = performance.now() + 30_000;
  let reason: string | undefined;
  while (reason === undefined && performance.now() < deadline) {
    const { status } = (await world.admin.request('GET', `${path}/before`)) as Stored;
    reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
    await pause(200);
  }
  expect(reason).toBe('ReservedNamespace');
  const sets = '/apis/apps/v1/namespaces/kube-system/statefulsets';
  const { items } = (await world.admin.request('GET', sets)) as { readonly items: readonly object[] };
  expect(items).toEqual([]);
  expect(world.operator.log).not.toMatch(/[Ff]orbidden/);
});
