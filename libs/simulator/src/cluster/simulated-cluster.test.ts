import { pods, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';

const set = (replicas: number, image = 'cache:1') => ({
  apiVersion: 'apps/v1' as const,
  kind: 'StatefulSet' as const,
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
    updateStrategy: { type: 'RollingUpdate' },
  },
});

test('a StatefulSet brings up its pods one after the other', async () => {
  const cluster = await SimulatedCluster.start();
  cluster.image('cache:1', { startsIn: 2000 });
  await cluster.client()(statefulSets).namespace('default').create(set(3));
  const outcome = await cluster.run({
    until: () => cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas === 3,
  });
  expect(outcome).toBe('reached');
  expect(cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name)).toEqual([
    'web-0',
    'web-1',
    'web-2',
  ]);
  expect(cluster.clock.now() - cluster.startedAt).toBeGreaterThan(6000);
  cluster.stop();
});

test('at a pace, it keeps to the wall clock until it is stopped', async () => {
  const cluster = await SimulatedCluster.start({ pace: 50, nodes: 1 });
  cluster.image('cache:1', { startsIn: 2000 });
  const running = cluster.keepRunning();
  await cluster.client()(statefulSets).namespace('default').create(set(2));
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas === 2) resolve();
      else cluster.clock.after(100, look);
    };
    look();
  });
  expect(cluster.clock.now() - cluster.startedAt).toBeGreaterThan(4000);
  cluster.stop();
  await running;
});

test('in virtual time, it is run step by step', async () => {
  const cluster = await SimulatedCluster.start();
  await expect(cluster.keepRunning()).rejects.toThrow('give it a pace');
});

test('it settles when nothing is written any more', async () => {
  const cluster = await SimulatedCluster.start({ seed: 5 });
  await cluster.client()(statefulSets).namespace('default').create(set(3));
  expect(await cluster.settle()).toBe(true);
  expect(cluster.objects.find(statefulSets, 'default', 'web')?.status?.readyReplicas).toBe(3);
});
