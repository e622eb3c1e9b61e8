import type { KubernetesObject } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';

const app = { app: 'web' };
const set = (image: string) => ({
  apiVersion: 'apps/v1' as const,
  kind: 'StatefulSet' as const,
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 2,
    serviceName: 'web',
    selector: { matchLabels: app },
    template: { metadata: { labels: app }, spec: { containers: [{ name: 'main', image }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
    updateStrategy: { type: 'RollingUpdate' },
  },
});

const kept = ['statefulsets.apps', 'controllerrevisions.apps', 'pods', 'persistentvolumeclaims', 'persistentvolumes'];

const objectsOf = ({ server }: SimulatedCluster): readonly KubernetesObject[] =>
  kept.flatMap((kind) => server.store.snapshot(kind).map(([, object]) => object as KubernetesObject));

/** A cluster with a StatefulSet that runs, and all that belongs to it as a client reads it. */
async function lived() {
  const cluster = await SimulatedCluster.start({ namespaces: ['shop'] });
  cluster.image('web:1', { startsIn: 2_000 });
  await cluster.client()(statefulSets).namespace('shop').create(set('web:1'));
  await cluster.run({ until: () => cluster.objects.find(statefulSets, 'shop', 'web')?.status?.readyReplicas === 2 });
  await cluster.settle();
  const objects = objectsOf(cluster);
  const now = cluster.clock.now();
  cluster.stop();
  return { objects, now };
}

test('what is there from the beginning runs on: nothing is made anew, and no member is ever not ready', async () => {
  const { objects, now } = await lived();
  const cluster = await SimulatedCluster.start({ namespaces: ['shop'], objects, startsAt: now, seed: 2 });
  cluster.image('web:1', { startsIn: 2_000 });
  const changes: string[] = [];
  cluster.server.store.subscribe(({ kind, before, after, deleted }) => {
    if (kept.includes(kind) && (deleted || before === undefined)) changes.push(`${kind} ${after.metadata.name}`);
    const { conditions = [] } = (after as { readonly status?: { conditions?: { type: string; status: string }[] } })
      .status ?? { conditions: [] };
    if (kind === 'pods' && !conditions.some(({ type, status }) => type === 'Ready' && status === 'True'))
      changes.push(`${after.metadata.name} is not ready`);
  });
  await cluster.settle();
  expect(changes).toEqual([]);
  expect(objectsOf(cluster).map(({ metadata }) => metadata.uid)).toEqual(objects.map(({ metadata }) => metadata.uid));
});

test('and takes changes as it would have where it came from', async () => {
  const { objects, now } = await lived();
  const cluster = await SimulatedCluster.start({ namespaces: ['shop'], objects, startsAt: now });
  for (const version of ['1', '2']) cluster.image(`web:${version}`, { startsIn: 2_000 });
  const body = { spec: set('web:2').spec };
  await cluster.client()(statefulSets).namespace('shop').patch('web', { type: 'merge', body });
  await cluster.settle();
  expect(
    cluster.objects.list(pods, 'shop').map(({ spec, status }) => [spec.containers[0]?.image, status?.phase]),
  ).toEqual([
    ['web:2', 'Running'],
    ['web:2', 'Running'],
  ]);
});

test('nodes are those that are named, with their labels and taints; a kind that is not known is refused', async () => {
  const cluster = await SimulatedCluster.start({
    nodes: [
      { name: 'east', labels: { zone: 'east' } },
      { name: 'west', unschedulable: true },
    ],
  });
  expect(cluster.nodes.map(({ name }) => name)).toEqual(['east', 'west']);
  const pod = { metadata: { name: 'one' }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
  for (const [name, zone] of [
    ['one', 'east'],
    ['two', 'west'],
  ] as const)
    await cluster
      .client()(pods)
      .namespace('default')
      .create({
        apiVersion: 'v1',
        kind: 'Pod',
        ...pod,
        metadata: { name },
        spec: { ...pod.spec, nodeSelector: { zone } },
      });
  await cluster.settle();
  expect(cluster.objects.list(pods, 'default').map(({ spec }) => spec.nodeName)).toEqual(['east', undefined]);
  const metadata = { name: 'x', uid: 'x', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const objects = [{ apiVersion: 'example.com/v1', kind: 'Gadget', metadata }];
  await expect(SimulatedCluster.start({ objects })).rejects.toThrow('no example.com/v1 Gadget');
});
