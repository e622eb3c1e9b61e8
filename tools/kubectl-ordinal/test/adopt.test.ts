import { clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { StatefulSetInput } from '@ordinal/client';
import { conditionOf, configMaps, persistentVolumeClaims, pods, services, statefulSets } from '@ordinal/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { chartShapes } from './chart-shapes.ts';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorld } from './plugin-world.ts';
import { until } from './resources.ts';

/** The claims of a StatefulSet with the default class, which the admission of a real API server gives them, and the simulation does not. */
async function createClaims(
  { cluster }: PluginWorld,
  { metadata: { name = '' }, spec }: StatefulSetInput,
): Promise<void> {
  for (const template of spec?.volumeClaimTemplates ?? [])
    for (const ordinal of [0, 1, 2])
      await cluster
        .client()(persistentVolumeClaims)
        .namespace('shop')
        .create({
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {
            name: `${template.metadata?.name ?? ''}-${name}-${ordinal}`,
            labels: spec?.selector.matchLabels ?? {},
          },
          spec: { storageClassName: 'standard', ...template.spec },
        });
}

/** A world in which a chart has made this StatefulSet, and all its pods are ready. */
async function running(set: StatefulSetInput): Promise<PluginWorld> {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  const { cluster } = world;
  cluster.image('task:1', { run: () => Promise.resolve(0) });
  const scripts = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'redis-scripts' } } as const;
  await cluster.client()(configMaps).namespace('shop').create(scripts);
  await createClaims(world, set);
  await cluster.client()(statefulSets).namespace('shop').create(set);
  const ready = () => cluster.objects.find(statefulSets, 'shop', set.metadata.name ?? '')?.status?.readyReplicas;
  await until(cluster, 'its pods are ready', () => ready() === 3);
  await cluster.advance(30_000);
  return world;
}

const uids = ({ cluster }: PluginWorld) =>
  [
    ...cluster.objects.list(pods, 'shop'),
    ...cluster.objects.list(persistentVolumeClaims, 'shop'),
    ...cluster.objects.list(statefulSets, 'shop'),
  ].map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.uid}`);

const adopted = ({ cluster }: PluginWorld, name: string) =>
  [
    cluster.objects.find(clusteredCaches, 'shop', name),
    cluster.objects.find(kvStoreClusters, 'shop', name),
    cluster.objects.find(monitoredStatefulSets, 'shop', name),
  ].flatMap((found) => conditionOf(found?.status?.conditions, 'Adopted') ?? [])[0];

describe.each(chartShapes)('$name', ({ set, cache, store }) => {
  const { name = '' } = set.metadata;

  test('is taken over as a MonitoredStatefulSet, and nothing restarts', async () => {
    const world = await running(set);
    const before = uids(world);
    const { exitCode, err } = await world.run(`adopt statefulset/${name} --as mss --monitor http://monitor.shop --yes`);
    expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
    await until(world.cluster, 'it is taken over', () => adopted(world, name) !== undefined);
    await world.cluster.advance(3_600_000);
    expect(adopted(world, name)).toMatchObject({ status: 'True' });
    expect(uids(world)).toEqual(before);
  });

  test.each([
    ['ClusteredCache', 'ccache', cache],
    ['KVStoreCluster', 'kvs', store],
  ])('as a %s (%s): %s', async (_kind, as, expected) => {
    const world = await running(set);
    const before = uids(world);
    const flags = name === 'prometheus' ? ' --container prometheus' : '';
    const { exitCode, err } = await world.run(`adopt sts ${name} --as ${as}${flags} --yes`);
    if (expected !== 'yes') {
      expect({ exitCode, err }).toEqual({ exitCode: 3, err: expect.stringContaining(expected) as string });
      return;
    }
    expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
    await until(world.cluster, 'it is taken over', () => adopted(world, name) !== undefined);
    await world.cluster.advance(3_600_000);
    expect(adopted(world, name)).toMatchObject({ status: 'True' });
    expect(uids(world)).toEqual(before);
  });
});

const [redis, , , , , zookeeper] = chartShapes;

test('without --yes the manifest is printed, and nothing is written', async () => {
  if (!redis) throw new Error('there is no such shape');
  const world = await running(redis.set);
  const text = await world.run('adopt statefulset/redis-node');
  const json = await world.run('adopt statefulset/redis-node -o json');
  expect(world.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  expect(text.err).toContain('Nothing was written');
  expect(parse(text.out)).toEqual(JSON.parse(json.out));
  expect(JSON.parse(json.out)).toMatchObject({
    kind: 'ClusteredCache',
    spec: {
      replicas: 3,
      image: 'cache:1',
      port: 6379,
      storage: { size: '8Gi', mountPath: '/data' },
      adopt: { statefulSet: 'redis-node', container: 'redis', claim: 'redis-data' },
      podTemplate: { metadata: { annotations: { 'checksum/scripts': 'abc' } } },
    },
  });
  expect(text.out).not.toContain('terminationMessagePath');
});

test('the first upgrade of a cache that was taken over keeps the rest of its template', async () => {
  if (!redis) throw new Error('there is no such shape');
  const world = await running(redis.set);
  await world.run('adopt statefulset/redis-node --yes');
  const { cluster } = world;
  await until(cluster, 'it is taken over', () => adopted(world, 'redis-node')?.status === 'True');
  // The chart's pods call the port otherwise than the operator does.
  const service = () => cluster.objects.find(services, 'shop', 'redis-node-client');
  await until(cluster, 'its Service', () => service() !== undefined);
  expect(service()?.spec?.ports).toMatchObject([{ port: 6379, targetPort: 6379 }]);
  await cluster
    .client()(clusteredCaches)
    .namespace('shop')
    .patch('redis-node', { type: 'merge', body: { spec: { image: 'cache:2' } } });
  const now = () => cluster.objects.find(clusteredCaches, 'shop', 'redis-node');
  await until(cluster, 'the upgrade', () => now()?.status?.currentVersion === 'cache:2');
  const [pod] = cluster.objects.list(pods, 'shop');
  const containers = pod?.spec.containers.map(({ name, image }) => `${name} ${image ?? ''}`);
  expect(containers?.toSorted()).toEqual(['metrics cache:1', 'redis cache:2']);
  expect(pod?.spec.containers.find(({ name }) => name === 'redis')).toMatchObject({
    command: ['/bin/sh'],
    livenessProbe: { tcpSocket: { port: 'redis' } },
  });
  expect(pod?.spec.securityContext?.fsGroup).toBe(1001);
  expect(pod?.spec.containers.find(({ name }) => name === 'redis')?.readinessProbe?.tcpSocket).toBeUndefined();
  expect(pod?.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name))).toContain('redis');
});

test('what can’t be taken over is said, with what to do', async () => {
  if (!zookeeper) throw new Error('there is no such shape');
  const world = await running(zookeeper.set);
  expect(await world.run('adopt sts/zookeeper --as mss')).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining('--monitor URL') as string,
  });
  expect(await world.run('adopt sts/zookeeper --as cdb')).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining('has no pods') as string,
  });
  expect(await world.run('adopt deployment/zookeeper')).toMatchObject({ exitCode: 2 });
  expect(await world.run('adopt sts/nothing')).toMatchObject({ exitCode: 1 });
});

test.each(['ccache', 'kvs', 'mss'])(
  'a StatefulSet is given back by its %s as it was, and nothing restarts',
  async (as) => {
    if (!redis) throw new Error('there is no such shape');
    const world = await running(redis.set);
    const { cluster } = world;
    const before = uids(world);
    const now = () => cluster.objects.find(statefulSets, 'shop', 'redis-node');
    await world.run(`adopt statefulset/redis-node --as ${as} --monitor http://monitor.shop --yes`);
    await until(cluster, 'it is taken over', () => adopted(world, 'redis-node')?.status === 'True');
    await cluster.advance(60_000);
    const released = world.run(`release-ownership ${as}/redis-node --yes`);
    // The program asks again and again in real time, and the cluster has a time of its own.
    let isOver = false;
    void released.then(() => (isOver = true));
    while (!isOver) {
      await cluster.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await released).toMatchObject({ exitCode: 0 });
    await cluster.advance(3_600_000);
    expect(uids(world)).toEqual(before);
    expect(now()?.spec.updateStrategy).toMatchObject({ type: 'RollingUpdate' });
    expect(now()?.metadata.ownerReferences).toBeUndefined();
    expect(cluster.objects.list(pods, 'shop').flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  },
);

test('in the middle of an upgrade nothing is given back: its own controller would replace the rest at once', async () => {
  if (!redis) throw new Error('there is no such shape');
  const world = await running(redis.set);
  const { cluster } = world;
  await world.run('adopt statefulset/redis-node --yes');
  await until(cluster, 'it is taken over', () => adopted(world, 'redis-node')?.status === 'True');
  const caches = cluster.client()(clusteredCaches).namespace('shop');
  await caches.patch('redis-node', { type: 'merge', body: { spec: { image: 'cache:missing' } } });
  const status = () => cluster.objects.find(clusteredCaches, 'shop', 'redis-node')?.status;
  await until(cluster, 'a member is down', () => status()?.upgrade?.step === 'AwaitingReady');
  const { exitCode, err } = await world.run('release-ownership ccache/redis-node --yes');
  expect({ exitCode, err }).toMatchObject({
    exitCode: 3,
    err: expect.stringContaining('an upgrade is under way') as string,
  });
  await until(cluster, 'it fails', () => status()?.failure !== undefined);
  expect(await world.run('release-ownership ccache/redis-node --yes')).toMatchObject({ exitCode: 3 });
  expect(status()).toBeDefined();
});

test('what was seen before the answer counts no more where an upgrade has begun since', async () => {
  if (!redis) throw new Error('there is no such shape');
  const world = await running(redis.set);
  const { cluster } = world;
  await world.run('adopt statefulset/redis-node --yes');
  await until(cluster, 'it is taken over', () => adopted(world, 'redis-node')?.status === 'True');
  await cluster.advance(60_000);
  const confirm = async () => {
    const caches = cluster.client()(clusteredCaches).namespace('shop');
    await caches.patch('redis-node', { type: 'merge', body: { spec: { image: 'cache:2' } } });
    return true;
  };
  const { exitCode, err } = await world.run('release-ownership ccache/redis-node', { confirm });
  expect({ exitCode, err }).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('might have been modified') as string,
  });
  expect(err).not.toContain('this ends it');
  expect(cluster.objects.find(clusteredCaches, 'shop', 'redis-node')?.metadata.deletionTimestamp).toBeUndefined();
});
