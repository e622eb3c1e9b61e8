import type { KVStoreClusterInput } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { conditionOf, persistentVolumeClaims, pods, services, statefulSets } from '@ordinal/client';
import type { Pod, StatefulSetInput } from '@ordinal/client';
import { ownerUidLabel } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import type { KVStoreWorld } from './kv-store-world.ts';
import { kvStoreWorld } from './kv-store-world.ts';

const name = 'shop-db';
const selector = { 'app.kubernetes.io/name': 'db', 'app.kubernetes.io/instance': 'shop' };

/** As a chart writes it: another selector, Service, container and claim than ours, a sidecar, one pod after the other, and replaced by Kubernetes itself. */
const chartSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    name,
    labels: { ...selector, 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop' },
  },
  spec: {
    replicas: 3,
    serviceName: `${name}-headless`,
    selector: { matchLabels: selector },
    template: {
      metadata: { labels: { ...selector, 'helm.sh/chart': 'db-1.0' } },
      spec: {
        containers: [
          { name: 'db', image: 'chart:1', volumeMounts: [{ name: 'db-data', mountPath: '/data' }] },
          { name: 'metrics', image: 'chart:1' },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'db-data', labels: selector },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'fast',
          resources: { requests: { storage: '1Gi' } },
        },
      },
    ],
  },
} satisfies StatefulSetInput;

const taking = (spec: Partial<KVStoreClusterInput['spec']> = {}): KVStoreClusterInput => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name, namespace: 'default' },
  spec: {
    ...{ version: '1', image: 'chart', replicas: 3, storage: { className: 'fast', size: '1Gi' } },
    adopt: { statefulSet: name, serviceName: `${name}-headless`, selector, container: 'db', claim: 'db-data' },
    ...spec,
  },
});

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
const members = (cluster: SimulatedCluster): readonly Pod[] => cluster.objects.list(pods, 'default');
const claims = (cluster: SimulatedCluster) => cluster.objects.list(persistentVolumeClaims, 'default');
const setNow = (cluster: SimulatedCluster) => cluster.objects.find(statefulSets, 'default', name);
const stores = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('default');
const store = (cluster: SimulatedCluster) => cluster.objects.find(kvStoreClusters, 'default', name);
const said = (cluster: SimulatedCluster, type: string) => conditionOf(store(cluster)?.status?.conditions, type);
const images = (cluster: SimulatedCluster) =>
  members(cluster).map(({ spec }) => spec.containers.map((each) => `${each.name} ${each.image ?? ''}`).join(', '));
const identities = (cluster: SimulatedCluster) =>
  [
    ...members(cluster),
    ...claims(cluster),
    ...cluster.objects.list(statefulSets, 'default'),
    ...cluster.objects.list(services, 'default').filter(({ metadata }) => metadata.name === `${name}-headless`),
  ].map(({ metadata }) => metadata.uid);

async function until(cluster: SimulatedCluster, isTrue: () => boolean): Promise<void> {
  expect(await cluster.run({ until: isTrue, maxVirtualMs: 3_600_000 }), String(isTrue)).toBe('reached');
}

/** What a chart has made, and runs. */
async function chartWorld(): Promise<KVStoreWorld> {
  const world = await kvStoreWorld();
  const { cluster } = world;
  for (const version of ['1', '2']) cluster.image(`chart:${version}`, { startsIn: 2_000 });
  cluster.image('chart:broken', { startsIn: 1_000, ready: false });
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: `${name}-headless` } } as const;
  const spec = { clusterIP: 'None', selector };
  await cluster
    .client()(services)
    .namespace('default')
    .create({ ...service, spec });
  await cluster.client()(statefulSets).namespace('default').create(chartSet);
  await until(cluster, () => members(cluster).filter(isReady).length === 3);
  await cluster.advance(30_000);
  return world;
}

const running = async (): Promise<SimulatedCluster> => (await chartWorld()).cluster;

const change = (cluster: SimulatedCluster, spec: object) =>
  stores(cluster).patch(name, { type: 'merge', body: { spec } });

async function consent(cluster: SimulatedCluster): Promise<void> {
  const annotations = { 'ordinal.dev/adopt': setNow(cluster)?.metadata.uid ?? '' };
  await stores(cluster).patch(name, { type: 'merge', body: { metadata: { annotations } } });
}

/** A cluster that has taken over what a chart has made. */
async function takenOver(spec: Partial<KVStoreClusterInput['spec']> = {}): Promise<SimulatedCluster> {
  const cluster = await running();
  await stores(cluster).create(taking(spec));
  await consent(cluster);
  await until(cluster, () => said(cluster, 'Ready')?.status === 'True');
  await cluster.advance(60_000);
  return cluster;
}

const asCharted = Array.from({ length: 3 }, () => 'db chart:1, metrics chart:1');

describe('a StatefulSet that a chart has made', () => {
  test('is left alone until a user consents, and is taken over then without a restart', async () => {
    const { cluster, events } = await chartWorld();
    const before = identities(cluster);
    await stores(cluster).create(taking());
    await cluster.advance(60_000);
    expect(setNow(cluster)?.metadata).toMatchObject({ generation: 1 });
    expect(setNow(cluster)?.metadata.ownerReferences).toBeUndefined();
    expect(said(cluster, 'Adopted')).toMatchObject({ status: 'False', reason: 'AwaitingConsent' });
    expect(said(cluster, 'Adopted')?.message).toContain(`kubectl annotate -n default kvs ${name}`);
    await consent(cluster);
    await until(cluster, () => said(cluster, 'Adopted')?.reason === 'TakenOver');
    await cluster.advance(7_200_000);
    expect(events.filter(({ reason }) => reason === 'TakenOver')).toHaveLength(1);
    expect(identities(cluster)).toEqual(before);
    expect(store(cluster)?.status).toMatchObject({
      ...{ phase: 'Ready', currentVersion: '1', replicas: 3, readyReplicas: 3, updatedReplicas: 3 },
      storage: { size: '1Gi', resizing: 0 },
    });
    const { labels, annotations } = chartSet.metadata;
    expect(setNow(cluster)?.metadata).toMatchObject({ labels, annotations });
    expect(setNow(cluster)?.spec).toMatchObject({
      serviceName: `${name}-headless`,
      updateStrategy: { type: 'RollingUpdate' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    const owner = store(cluster)?.metadata.uid;
    expect(claims(cluster).map(({ metadata }) => metadata.labels?.[ownerUidLabel])).toEqual([owner, owner, owner]);
    cluster.stop();
  });

  test('makes a pod that is lost as its chart made it, and upgrades member by member', async () => {
    const cluster = await takenOver();
    const volumes = claims(cluster).map(({ metadata }) => metadata.uid);
    await cluster.client()(pods).namespace('default').delete(`${name}-1`);
    await cluster.advance(60_000);
    expect(images(cluster)).toEqual(asCharted);
    await change(cluster, { version: '2' });
    let fewest = 3;
    await until(cluster, () => {
      fewest = Math.min(fewest, members(cluster).filter(isReady).length);
      return store(cluster)?.status?.currentVersion === '2';
    });
    expect(fewest).toBe(2);
    expect(images(cluster)).toEqual(['db chart:2', 'db chart:2', 'db chart:2']);
    expect(claims(cluster).map(({ metadata }) => metadata.uid)).toEqual(volumes);
    cluster.stop();
  });

  test('goes back to what its chart ran where the first upgrade fails', async () => {
    const cluster = await takenOver({ upgrade: { onFailure: 'Rollback', progressDeadline: '2m' } });
    await change(cluster, { version: 'broken' });
    await until(cluster, () => store(cluster)?.status?.failedRevision !== undefined);
    await until(cluster, () => members(cluster).filter(isReady).length === 3);
    await cluster.advance(120_000);
    expect(images(cluster)).toEqual(asCharted);
    expect(store(cluster)?.status).toMatchObject({ currentVersion: '1', readyReplicas: 3 });
    await change(cluster, { version: '1' });
    await until(cluster, () => said(cluster, 'Ready')?.status === 'True');
    expect(images(cluster)).toEqual(asCharted);
    cluster.stop();
  });

  test('gets larger, and the claim of the new member is the cluster’s too', async () => {
    const cluster = await takenOver();
    await change(cluster, { replicas: 4 });
    await until(cluster, () => members(cluster).filter(isReady).length === 4);
    await until(cluster, () => said(cluster, 'Ready')?.status === 'True');
    await cluster.advance(60_000);
    const owner = store(cluster)?.metadata.uid;
    expect(claims(cluster).map(({ metadata }) => metadata.labels?.[ownerUidLabel])).toEqual(Array(4).fill(owner));
    expect(images(cluster)).toEqual([...asCharted, asCharted[0]]);
    cluster.stop();
  });

  test.each([
    ['another version', { version: '2' }, 'the StatefulSet runs chart:1'],
    ['another size', { replicas: 2 }, 'the StatefulSet has replicas: 3'],
    ['another claim', { adopt: { ...taking().spec.adopt, claim: 'data' } }, 'claim templates are db-data'],
    ['another container', { adopt: { ...taking().spec.adopt, container: 'kv' } }, 'containers are db, metrics'],
  ])('is not taken over where the spec says %s', async (_what, spec, message) => {
    const cluster = await running();
    await stores(cluster).create(taking(spec as Partial<KVStoreClusterInput['spec']>));
    await consent(cluster);
    await cluster.advance(60_000);
    expect(said(cluster, 'Adopted')).toMatchObject({ status: 'False', reason: 'Mismatch' });
    expect(said(cluster, 'Adopted')?.message).toContain(message);
    expect(setNow(cluster)?.metadata.ownerReferences).toBeUndefined();
    cluster.stop();
  });

  test('is left to itself where the cluster is deleted before a user consents', async () => {
    const cluster = await running();
    const before = identities(cluster);
    await stores(cluster).create(taking({ deletionPolicy: 'Delete' }));
    await until(cluster, () => said(cluster, 'Adopted') !== undefined);
    await stores(cluster).delete(name);
    await cluster.advance(600_000);
    expect(store(cluster)).toBeUndefined();
    expect(identities(cluster)).toEqual(before);
    cluster.stop();
  });

  test('is given back as it runs', async () => {
    const cluster = await takenOver({ deletionPolicy: 'Delete' });
    const before = identities(cluster);
    await stores(cluster).delete(name, { propagationPolicy: 'Orphan' });
    await until(cluster, () => store(cluster) === undefined);
    await cluster.advance(600_000);
    expect(identities(cluster)).toEqual(before);
    expect(setNow(cluster)?.metadata.ownerReferences ?? []).toEqual([]);
    cluster.stop();
  });

  test('goes with its volumes where the cluster is deleted and the policy says so', async () => {
    const cluster = await takenOver({ deletionPolicy: 'Delete' });
    await stores(cluster).delete(name);
    await until(cluster, () => store(cluster) === undefined);
    await cluster.advance(60_000);
    expect([...members(cluster), ...claims(cluster)]).toEqual([]);
    cluster.stop();
  });

  test('is made again with its Service and claims where it is lost after it was taken over', async () => {
    const cluster = await takenOver();
    const volumes = claims(cluster).map(({ metadata }) => metadata.uid);
    await cluster.client()(statefulSets).namespace('default').delete(name, { propagationPolicy: 'Orphan' });
    await until(cluster, () => setNow(cluster) !== undefined);
    await until(cluster, () => said(cluster, 'Ready')?.status === 'True' && members(cluster).every(isReady));
    await cluster.advance(600_000);
    expect(members(cluster).filter(isReady)).toHaveLength(3);
    expect(claims(cluster).map(({ metadata }) => metadata.uid)).toEqual(volumes);
    expect(setNow(cluster)?.spec.serviceName).toBe(`${name}-headless`);
    cluster.stop();
  });

  test('keeps its image, whatever another client sets', async () => {
    const cluster = await takenOver();
    const body = { spec: { template: { spec: { containers: [{ name: 'db', image: 'chart:2' }] } } } };
    await cluster.client()(statefulSets).namespace('default').patch(name, { type: 'strategic', body });
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual(asCharted);
    expect(said(cluster, 'Ready')).toMatchObject({ status: 'True' });
    cluster.stop();
  });

  test('has no restore drills, and is not restored from a backup', async () => {
    const cluster = await running();
    const job = { command: ['restore'] };
    const refused = (spec: object) =>
      stores(cluster)
        .create(taking(spec))
        .then(() => '', String);
    expect(await refused({ restoreFrom: { backup: 'b', job } })).toContain('is not restored from a backup');
    expect(await refused({ backup: { job, drill: { restore: job, check: job } } })).toContain('no restore drills yet');
    cluster.stop();
  });
});
