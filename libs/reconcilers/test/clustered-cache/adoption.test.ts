import type { ClusteredCacheInput } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import { persistentVolumeClaims, pods, services, statefulSets } from '@ordinal/client';
import type { Pod, StatefulSetInput } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { cacheWorld, caches } from './cache-world.ts';
import { drainWorld } from './drain-world.ts';

const selector = { 'app.kubernetes.io/name': 'redis', 'app.kubernetes.io/instance': 'shop' };

const chartSpec = {
  replicas: 3,
  serviceName: 'shop-redis-headless',
  selector: { matchLabels: selector },
  template: {
    metadata: { labels: { ...selector, 'helm.sh/chart': 'redis-1.0' }, annotations: { 'checksum/config': '1' } },
    spec: {
      initContainers: [{ name: 'permissions', image: 'cache:1' }],
      containers: [
        {
          name: 'redis',
          image: 'cache:1',
          ports: [{ name: 'tcp-redis', containerPort: 6379 }],
          env: [{ name: 'MODE', value: 'replica' }],
        },
        { name: 'metrics', image: 'cache:1' },
      ],
    },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: 'redis-data', labels: selector },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};

/** As a chart writes it: another selector, Service, container and claim than ours, an init container and a sidecar, one pod after the other, and replaced by Kubernetes itself. */
const chartSet: StatefulSetInput = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    name: 'shop-redis',
    labels: { ...selector, 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'default' },
  },
  spec: chartSpec,
};

const adopt = {
  statefulSet: 'shop-redis',
  serviceName: 'shop-redis-headless',
  selector,
  container: 'redis',
  claim: 'redis-data',
};
const taking = (spec: Partial<ClusteredCacheInput['spec']> = {}): ClusteredCacheInput => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'shop-redis', namespace: 'default' },
  spec: {
    replicas: 3,
    image: 'cache:1',
    port: 6379,
    storage: { size: '1Gi' },
    adopt,
    ...spec,
  },
});

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

const members = (cluster: SimulatedCluster): readonly Pod[] => cluster.objects.list(pods, 'default');
const uids = (cluster: SimulatedCluster) => ({
  pods: members(cluster).map(({ metadata }) => metadata.uid),
  claims: cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.uid),
  services: cluster.objects
    .list(services, 'default')
    .filter(({ metadata }) => metadata.name === 'shop-redis-headless')
    .map(({ metadata }) => metadata.uid),
  sets: cluster.objects.list(statefulSets, 'default').map(({ metadata }) => metadata.uid),
});
const setNow = (cluster: SimulatedCluster) => cluster.objects.find(statefulSets, 'default', 'shop-redis');
const imagesOf = (cluster: SimulatedCluster) =>
  members(cluster).map(({ spec }) => spec.containers.map(({ name, image }) => `${name} ${image ?? ''}`).join(', '));
const store = (cluster: SimulatedCluster) => cluster.objects.find(clusteredCaches, 'default', 'shop-redis');
const adopted = (cluster: SimulatedCluster) =>
  store(cluster)?.status?.conditions?.find(({ type }) => type === 'Adopted');

async function until(cluster: SimulatedCluster, isTrue: () => boolean): Promise<void> {
  expect(await cluster.run({ until: isTrue, maxVirtualMs: 3_600_000 }), String(isTrue)).toBe('reached');
}

/** What a chart has made, and runs. */
async function running(set: StatefulSetInput = chartSet) {
  const { cluster, events } = await cacheWorld();
  await runChart(cluster, set);
  return { cluster, events };
}

async function runChart(cluster: SimulatedCluster, set: StatefulSetInput): Promise<void> {
  const client = cluster.client();
  const service = {
    apiVersion: 'v1' as const,
    kind: 'Service' as const,
    metadata: { name: 'shop-redis-headless' },
    spec: { clusterIP: 'None', selector },
  };
  await client(services).namespace('default').create(service);
  await client(statefulSets).namespace('default').create(set);
  await until(cluster, () => members(cluster).filter(isReady).length === 3);
  await cluster.advance(30_000);
}

async function consent(cluster: SimulatedCluster): Promise<void> {
  const annotations = { 'ordinal.dev/adopt': setNow(cluster)?.metadata.uid ?? '' };
  await caches(cluster).patch('shop-redis', { type: 'merge', body: { metadata: { annotations } } });
}

/** All members are ready, and nothing is left to be done. */
const isSettled = (cluster: SimulatedCluster): boolean =>
  store(cluster)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

const asCharted = Array.from({ length: 3 }, () => 'redis cache:1, metrics cache:1');

/** A cache that has taken over what a chart has made. */
async function takenOver(spec: Partial<ClusteredCacheInput['spec']> = {}) {
  const { cluster } = await running();
  await caches(cluster).create(taking(spec));
  await consent(cluster);
  await until(
    cluster,
    () => store(cluster)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True',
  );
  return { cluster };
}

describe('a StatefulSet that a chart has made', () => {
  test('is left alone until a user consents, and is taken over then without a restart', async () => {
    const { cluster, events } = await running();
    const before = uids(cluster);
    const { labels, annotations } = chartSet.metadata;
    await caches(cluster).create(taking());
    await cluster.advance(60_000);
    expect(setNow(cluster)?.metadata.generation).toBe(1);
    expect(setNow(cluster)?.metadata.ownerReferences).toBeUndefined();
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'AwaitingConsent' });
    expect(adopted(cluster)?.message).toContain('Helm release shop');
    await consent(cluster);
    await until(cluster, () => adopted(cluster)?.status === 'True');
    await cluster.advance(7_200_000);
    expect(events.filter(({ reason }) => reason === 'TakenOver')).toHaveLength(1);
    expect(uids(cluster)).toEqual(before);
    expect(setNow(cluster)?.metadata).toMatchObject({ labels, annotations });
    const ready = { type: 'Ready', status: 'True' };
    expect(store(cluster)?.status).toMatchObject({
      currentVersion: 'cache:1',
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
    });
    expect(store(cluster)?.status?.conditions).toContainEqual(expect.objectContaining(ready));
    const { serviceName, podManagementPolicy, updateStrategy } = setNow(cluster)?.spec ?? {};
    expect({ serviceName, podManagementPolicy, updateStrategy }).toMatchObject({
      serviceName: 'shop-redis-headless',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'OnDelete' },
    });
    cluster.stop();
  });

  test('makes a pod that is lost as its chart made it, and upgrades member by member when the image changes', async () => {
    const { cluster } = await takenOver();
    const { claims } = uids(cluster);
    await cluster.client()(pods).namespace('default').delete('shop-redis-1');
    await cluster.advance(60_000);
    expect(imagesOf(cluster)).toEqual(asCharted);
    await caches(cluster).patch('shop-redis', { type: 'merge', body: { spec: { image: 'cache:2' } } });
    let fewest = 3;
    await until(cluster, () => {
      fewest = Math.min(fewest, members(cluster).filter(isReady).length);
      return store(cluster)?.status?.currentVersion === 'cache:2';
    });
    expect(fewest).toBe(2);
    expect(imagesOf(cluster)).toEqual(['redis cache:2', 'redis cache:2', 'redis cache:2']);
    const [pod] = members(cluster);
    // Nothing of the chart stays in new pods.
    expect(pod?.spec.initContainers).toBeUndefined();
    expect(pod?.spec.containers[0]?.env?.map(({ name }) => name)).toEqual(['POD_NAME']);
    expect(pod?.metadata.labels).toMatchObject(selector);
    expect(pod?.metadata.labels).not.toHaveProperty('helm.sh/chart');
    expect(pod?.metadata.annotations).not.toHaveProperty('ordinal.dev/adopted');
    expect(uids(cluster).claims).toEqual(claims);
    cluster.stop();
  });

  test('goes back to what its chart ran where the first upgrade fails', async () => {
    const { cluster } = await takenOver({ upgrade: { onFailure: 'Rollback', progressDeadline: '2m' } });
    await caches(cluster).patch('shop-redis', { type: 'merge', body: { spec: { image: 'cache:broken' } } });
    await until(cluster, () => store(cluster)?.status?.failedRevision !== undefined);
    await cluster.advance(300_000);
    expect(imagesOf(cluster)).toEqual(asCharted);
    expect(store(cluster)?.status).toMatchObject({ currentVersion: 'cache:1', readyReplicas: 3 });
    cluster.stop();
  });

  test.each<[string, string, StatefulSetInput]>([
    ['differs from what the spec says', 'Mismatch', { ...chartSet, spec: { ...chartSpec, serviceName: 'another' } }],
    [
      'is applied by Argo CD',
      'ManagedElsewhere',
      { ...chartSet, metadata: { ...chartSet.metadata, annotations: { 'argocd.argoproj.io/tracking-id': 'x' } } },
    ],
  ])('is not taken over where it %s', async (_what, reason, set) => {
    const { cluster } = await running(set);
    await caches(cluster).create(taking());
    await consent(cluster);
    await cluster.advance(60_000);
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(setNow(cluster)?.metadata).toMatchObject({ generation: 1 });
    expect(setNow(cluster)?.metadata.ownerReferences).toBeUndefined();
    cluster.stop();
  });

  test('is taken over when all its pods are made of its template, and not before', async () => {
    const { cluster } = await running({ ...chartSet, spec: { ...chartSpec, updateStrategy: { type: 'OnDelete' } } });
    const [redis, metrics] = chartSpec.template.spec.containers;
    const containers = [{ ...redis, image: 'cache:2' }, metrics];
    const body = { spec: { template: { spec: { containers } } } };
    await cluster.client()(statefulSets).namespace('default').patch('shop-redis', { type: 'merge', body });
    await cluster.client()(pods).namespace('default').delete('shop-redis-2');
    await cluster.advance(60_000);
    await caches(cluster).create(taking({ image: 'cache:2' }));
    await consent(cluster);
    await cluster.advance(60_000);
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'RollingOut' });
    expect(adopted(cluster)?.message).toContain('1 of 3 pods');
    expect(setNow(cluster)?.metadata.ownerReferences).toBeUndefined();
    for (const name of ['shop-redis-1', 'shop-redis-0']) {
      await cluster.client()(pods).namespace('default').delete(name);
      await cluster.advance(60_000);
    }
    await until(cluster, () => adopted(cluster)?.status === 'True');
    expect(store(cluster)?.status).toMatchObject({ currentVersion: 'cache:2' });
    cluster.stop();
  });

  test('that is not there is not made', async () => {
    const { cluster } = await cacheWorld();
    await caches(cluster).create(taking());
    await cluster.advance(60_000);
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'NotFound' });
    expect(cluster.objects.list(statefulSets, 'default')).toEqual([]);
    cluster.stop();
  });

  test('is made again with its Service and claims where it is lost after it was taken over', async () => {
    const { cluster } = await takenOver();
    const before = uids(cluster);
    await cluster.client()(statefulSets).namespace('default').delete('shop-redis', { propagationPolicy: 'Orphan' });
    let fewest = 3;
    await until(cluster, () => {
      fewest = Math.min(fewest, members(cluster).filter(isReady).length);
      return imagesOf(cluster).every((images) => images === 'redis cache:1') && members(cluster).every(isReady);
    });
    expect(fewest).toBe(2);
    expect(uids(cluster).claims).toEqual(before.claims);
    const { serviceName, volumeClaimTemplates } = setNow(cluster)?.spec ?? {};
    expect(serviceName).toBe('shop-redis-headless');
    expect(volumeClaimTemplates).toMatchObject([{ metadata: { name: 'redis-data' } }]);
    cluster.stop();
  });

  test('stays the cache’s where another client takes its owner away in the middle of an upgrade', async () => {
    const { cluster } = await takenOver({ upgrade: { onFailure: 'Rollback', progressDeadline: '2m' } });
    await caches(cluster).patch('shop-redis', { type: 'merge', body: { spec: { image: 'cache:broken' } } });
    await until(cluster, () => imagesOf(cluster).includes('redis cache:broken'));
    const body = { metadata: { ownerReferences: null } };
    await cluster.client()(statefulSets).namespace('default').patch('shop-redis', { type: 'merge', body });
    await until(cluster, () => store(cluster)?.status?.failedRevision !== undefined);
    await cluster.advance(300_000);
    expect(imagesOf(cluster)).toEqual(asCharted);
    expect(store(cluster)?.status).toMatchObject({ currentVersion: 'cache:1', readyReplicas: 3 });
    cluster.stop();
  });

  test('runs the image of the spec, whatever another client sets', async () => {
    const { cluster } = await takenOver();
    const containers = [{ name: 'redis', image: 'cache:3' }];
    const body = { spec: { template: { spec: { containers } } } };
    await cluster.client()(statefulSets).namespace('default').patch('shop-redis', { type: 'strategic', body });
    const seen = new Set<string>();
    await until(cluster, () => {
      for (const images of imagesOf(cluster)) seen.add(images);
      return imagesOf(cluster).every((images) => images === 'redis cache:1') && members(cluster).every(isReady);
    });
    expect([...seen].filter((images) => images.includes('cache:3'))).toEqual([]);
    cluster.stop();
  });

  test('is drained as before until a user consents, and through the gates of the cache afterwards', async () => {
    const { cluster } = await drainWorld();
    const image = 'cache:stubborn';
    const [redis] = chartSpec.template.spec.containers;
    const template = { ...chartSpec.template, spec: { containers: [{ ...redis, name: 'redis', image }] } };
    await runChart(cluster, { ...chartSet, spec: { ...chartSpec, template } });
    await caches(cluster).create(taking({ image }));
    await until(cluster, () => adopted(cluster)?.reason === 'AwaitingConsent');
    const evict = async (pod: string): Promise<string> => {
      const asked = cluster
        .client()
        .pods.evict({ namespace: 'default', pod })
        .then(() => 'gone', String);
      await cluster.advance(60_000);
      return asked;
    };
    expect(await evict('shop-redis-2')).toBe('gone');
    await consent(cluster);
    await until(cluster, () => store(cluster)?.status?.currentRevision !== undefined && isSettled(cluster));
    expect(await evict('shop-redis-2')).toContain('gate ready-for-shutdown');
    cluster.stop();
  });

  test('is given back as it runs', async () => {
    const { cluster } = await takenOver();
    const before = uids(cluster);
    await caches(cluster).delete('shop-redis', { propagationPolicy: 'Orphan' });
    await until(cluster, () => store(cluster) === undefined);
    await cluster.advance(60_000);
    expect(uids(cluster)).toEqual(before);
    expect(setNow(cluster)?.metadata.ownerReferences ?? []).toEqual([]);
    cluster.stop();
  });
});
