import { configMaps, namespaces, pods, secrets, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, merge, object, quick, statefulSet } from '../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false, namespaces: ['shop'] });
  cluster.image('app:1', quick);
});
afterEach(() => cluster.stop());

const inShop = (body: { readonly metadata: object }) => ({
  ...body,
  metadata: { ...body.metadata, namespace: 'shop' },
});
const shop = () => cluster.objects.find(namespaces, '', 'shop');

test('a namespace that is deleted is emptied, and gone when nothing is left', async () => {
  await cluster
    .client()(statefulSets)
    .namespace('shop')
    .create(inShop(statefulSet('web')) as never);
  await cluster.run({ until: () => cluster.objects.find(statefulSets, 'shop', 'web')?.status?.readyReplicas === 3 });
  await cluster.client()(namespaces).cluster().delete('shop');
  await expect(
    cluster
      .client()(configMaps)
      .namespace('shop')
      .create(inShop(object('v1 ConfigMap', 'late')) as never),
  ).rejects.toThrow('because it is being terminated');
  expect(await cluster.run({ until: () => shop() === undefined })).toBe('reached');
  expect(cluster.objects.list(pods, 'shop')).toEqual([]);
});

test('a finalizer holds a namespace up, which says so', async () => {
  await cluster
    .client()(secrets)
    .namespace('shop')
    .create(inShop(object('v1 Secret', 'held', {}, { finalizers: ['example.com/hold'] })) as never);
  await cluster.client()(namespaces).cluster().delete('shop');
  await cluster.advance(60_000);
  const remaining = shop()?.status?.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining');
  expect(remaining).toMatchObject({
    status: 'True',
    message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  });
  await cluster
    .client()(secrets)
    .namespace('shop')
    .patch('held', { type: 'merge', body: { metadata: { finalizers: null } } });
  expect(await cluster.run({ until: () => shop() === undefined })).toBe('reached');
});

test('a new namespace gets what pods expect there', async () => {
  await create(cluster, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } });
  await cluster.advance(100);
  expect(cluster.objects.find(configMaps, 'new', 'kube-root-ca.crt')).toBeDefined();
});

test('the certificates of a namespace are put right when they were changed', async () => {
  await cluster.advance(100);
  await merge(cluster, configMaps, 'kube-root-ca.crt', { data: { 'ca.crt': 'mine', more: 'text' } });
  await cluster.advance(100);
  expect(cluster.objects.find(configMaps, 'default', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'simulated' });
});

test('pods go before anything else of the namespace', async () => {
  const pod = object('v1 Pod', 'held', { spec: { containers: [{ name: 'main', image: 'app:1' }] } });
  const metadata = { ...pod.metadata, namespace: 'shop', finalizers: ['example.com/hold'] };
  await cluster
    .client()(pods)
    .namespace('shop')
    .create({ ...pod, metadata } as never);
  await cluster
    .client()(configMaps)
    .namespace('shop')
    .create(inShop(object('v1 ConfigMap', 'settings')) as never);
  await cluster.client()(namespaces).cluster().delete('shop');
  await cluster.advance(60_000);
  expect(cluster.objects.find(pods, 'shop', 'held')?.metadata.deletionTimestamp).toBeDefined();
  expect(cluster.objects.find(configMaps, 'shop', 'settings')?.metadata.deletionTimestamp).toBeUndefined();
  await cluster
    .client()(pods)
    .namespace('shop')
    .patch('held', { type: 'merge', body: { metadata: { finalizers: null } } });
  expect(await cluster.run({ until: () => shop() === undefined })).toBe('reached');
});
