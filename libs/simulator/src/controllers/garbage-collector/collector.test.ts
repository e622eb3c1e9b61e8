import { configMaps, pods, secrets, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, merge, object, quick, statefulSet } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', quick);
});
afterEach(() => cluster.stop());

const owned = async (
  kind: string,
  name: string,
  owner: string,
  {
    finalizers = [],
    ...extra
  }: { readonly finalizers?: readonly string[]; readonly blockOwnerDeletion?: boolean } = {},
) => {
  const uid = cluster.objects.find(configMaps, 'default', owner)?.metadata.uid;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, ...extra }];
  await create(
    cluster,
    kind === 'Secret' ? secrets : configMaps,
    object(`v1 ${kind}`, name, {}, { ownerReferences, finalizers }),
  );
};
const remove = (name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan') =>
  cluster.client()(configMaps).namespace('default').delete(name, { propagationPolicy });
const secret = (name: string) => cluster.objects.find(secrets, 'default', name);

test('in the background, the owner goes at once and its dependents follow', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner'));
  await owned('Secret', 'child', 'owner');
  await remove('owner', 'Background');
  expect(cluster.objects.find(configMaps, 'default', 'owner')).toBeUndefined();
  expect(await cluster.run({ until: () => secret('child') === undefined })).toBe('reached');
});

test('in the foreground, the owner waits for dependents that block it, whatever its own finalizers', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner', {}, { finalizers: ['example.com/mine'] }));
  await owned('Secret', 'held', 'owner', { blockOwnerDeletion: true, finalizers: ['example.com/hold'] });
  await owned('Secret', 'free', 'owner');
  await remove('owner', 'Foreground');
  await cluster.advance(10_000);
  expect(secret('free')).toBeUndefined();
  expect(secret('held')?.metadata.deletionTimestamp).toBeDefined();
  expect(cluster.objects.find(configMaps, 'default', 'owner')?.metadata.finalizers).toContain('foregroundDeletion');
  await cluster
    .client()(secrets)
    .namespace('default')
    .patch('held', { type: 'merge', body: { metadata: { finalizers: null } } });
  await cluster.advance(10_000);
  expect(cluster.objects.find(configMaps, 'default', 'owner')?.metadata.finalizers).toEqual(['example.com/mine']);
});

test('orphaned, dependents stay and lose the reference', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner'));
  await owned('Secret', 'child', 'owner');
  await remove('owner', 'Orphan');
  await cluster.advance(10_000);
  expect(cluster.objects.find(configMaps, 'default', 'owner')).toBeUndefined();
  expect(secret('child')?.metadata.ownerReferences ?? []).toEqual([]);
});

test('a namesake of the owner is another owner', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner'));
  await owned('Secret', 'child', 'owner');
  await remove('owner', 'Background');
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner'));
  await cluster.advance(10_000);
  expect(secret('child')).toBeUndefined();
});

test('a dependent with another living owner stays', async () => {
  await create(cluster, configMaps, object('v1 ConfigMap', 'owner'));
  await create(cluster, configMaps, object('v1 ConfigMap', 'other'));
  const references = ['owner', 'other'].map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: cluster.objects.find(configMaps, 'default', name)?.metadata.uid,
  }));
  await create(cluster, secrets, object('v1 Secret', 'child', {}, { ownerReferences: references }));
  await remove('owner', 'Background');
  await cluster.advance(10_000);
  expect(secret('child')?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']);
});

test('a StatefulSet in the foreground goes after its pods; orphaned, its pods run on', async () => {
  await create(cluster, statefulSets, statefulSet('web', { replicas: 2 }));
  const readyCount = () => cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas;
  await cluster.run({ until: () => readyCount() === 2 });
  await cluster.client()(statefulSets).namespace('default').delete('web', { propagationPolicy: 'Orphan' });
  await cluster.advance(60_000);
  expect(cluster.objects.find(statefulSets, 'default', 'web')).toBeUndefined();
  expect(cluster.objects.list(pods, 'default')).toHaveLength(2);
  await create(cluster, statefulSets, statefulSet('web', { replicas: 2 }));
  await cluster.run({ until: () => readyCount() === 2 });
  await cluster.client()(statefulSets).namespace('default').delete('web', { propagationPolicy: 'Foreground' });
  expect(await cluster.run({ until: () => cluster.objects.list(pods, 'default').length === 0 })).toBe('reached');
  await cluster.advance(1000);
  expect(cluster.objects.find(statefulSets, 'default', 'web')).toBeUndefined();
});

test('owners that own each other in a circle all go', async () => {
  for (const name of ['first', 'second', 'third']) await create(cluster, configMaps, object('v1 ConfigMap', name));
  const uidOf = (name: string) => cluster.objects.find(configMaps, 'default', name)?.metadata.uid;
  const circle = [
    ['first', 'third'],
    ['second', 'first'],
    ['third', 'second'],
  ] as const;
  for (const [name, owner] of circle) {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: uidOf(owner) };
    await merge(cluster, configMaps, name, {
      metadata: { ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }] },
    });
  }
  await cluster.advance(1000);
  await remove('first', 'Foreground');
  await cluster.advance(10_000);
  for (const [name] of circle) expect(cluster.objects.find(configMaps, 'default', name)).toBeUndefined();
});
