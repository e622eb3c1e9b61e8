import { controllerOf, deployments, jobs, pods, replicaSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, merge, object, quick, template } from '../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('app:1', quick);
  cluster.image('task:1', { run: () => new Promise(() => undefined) });
});
afterEach(() => cluster.stop());

const ownersOf = () =>
  cluster.objects
    .list(pods, 'default')
    .map((pod) => `${pod.metadata.labels?.['app'] ?? 'released'} ${controllerOf(pod)?.kind ?? 'none'}`)
    .sort();
const firstPod = () => cluster.objects.list(pods, 'default')[0]?.metadata.name ?? '';

test('a ReplicaSet releases a pod whose labels no longer fit, and replaces it; it adopts the pod again', async () => {
  const selector = { matchLabels: { app: 'web' } };
  await create(
    cluster,
    replicaSets,
    object('apps/v1 ReplicaSet', 'web', { spec: { replicas: 2, selector, template: template('web') } }),
  );
  await cluster.advance(5000);
  const name = firstPod();
  await merge(cluster, pods, name, { metadata: { labels: { app: null } } });
  await cluster.advance(5000);
  expect(ownersOf()).toEqual(['released none', 'web ReplicaSet', 'web ReplicaSet']);
  await merge(cluster, replicaSets, 'web', { spec: { replicas: 3 } });
  await merge(cluster, pods, name, { metadata: { labels: { app: 'web' } } });
  await cluster.advance(60_000);
  expect(ownersOf()).toEqual(['web ReplicaSet', 'web ReplicaSet', 'web ReplicaSet']);
});

test('a Job releases a pod with its finalizer, and replaces it', async () => {
  await create(
    cluster,
    jobs,
    object('batch/v1 Job', 'task', { spec: { template: template('task', 'task:1', { restartPolicy: 'Never' }) } }),
  );
  await cluster.advance(5000);
  const name = firstPod();
  const { labels } = cluster.objects.find(pods, 'default', name)?.metadata ?? {};
  await merge(cluster, pods, name, {
    metadata: { labels: { 'batch.kubernetes.io/controller-uid': null, app: null } },
  });
  await cluster.advance(5000);
  expect(ownersOf()).toEqual(['released none', 'task Job']);
  expect(cluster.objects.find(pods, 'default', name)?.metadata.finalizers ?? []).toEqual([]);
  await merge(cluster, pods, name, { metadata: { labels } });
  await cluster.advance(5000);
  const adopted = cluster.objects.find(pods, 'default', name);
  // The Job has one pod too many then, and may end either.
  expect(adopted === undefined || controllerOf(adopted)?.kind === 'Job').toBe(true);
  expect(cluster.objects.find(jobs, 'default', 'task')?.status?.active).toBe(1);
});

test('a Deployment adopts a ReplicaSet that fits, and releases one that does not', async () => {
  const body = object('apps/v1 Deployment', 'web', {
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  });
  await create(cluster, deployments, body);
  await cluster.advance(5000);
  const set = cluster.objects.list(replicaSets, 'default')[0]?.metadata.name ?? '';
  await cluster.client()(deployments).namespace('default').delete('web', { propagationPolicy: 'Orphan' });
  await cluster.advance(5000);
  const owner = () => controllerOf(cluster.objects.find(replicaSets, 'default', set) ?? { metadata: {} })?.kind;
  expect(owner()).toBeUndefined();
  await create(cluster, deployments, body);
  await cluster.advance(5000);
  expect(owner()).toBe('Deployment');
  expect(cluster.objects.list(replicaSets, 'default')).toHaveLength(1);
  await merge(cluster, replicaSets, set, { metadata: { labels: { app: 'other' } } });
  await cluster.advance(5000);
  expect(owner()).toBeUndefined();
});
