import { nodes, podDisruptionBudgets, pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, object } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '4' };
  cluster = await SimulatedCluster.start({ nodes: ['one', 'two'].map((name) => ({ name, allocatable })) });
});
afterEach(() => cluster.stop());

interface Wish {
  readonly cpu?: string;
  readonly priority?: number;
  readonly node?: string;
  readonly spec?: object;
}

const add = (name: string, { cpu, priority = 0, node, spec }: Wish = {}): Promise<unknown> =>
  create(
    cluster,
    pods,
    object(
      'v1 Pod',
      name,
      {
        spec: {
          ...{ priority, terminationGracePeriodSeconds: 2 },
          ...(node && { nodeSelector: { 'kubernetes.io/hostname': node } }),
          containers: [{ name: 'main', image: 'app:1', ...(cpu && { resources: { requests: { cpu } } }) }],
          ...spec,
        },
      },
      { labels: { app: name } },
    ),
  );
const pod = (name: string) => cluster.objects.find(pods, 'default', name);
const nodeOf = (name: string) => pod(name)?.spec.nodeName;
const unscheduled = (name: string) =>
  pod(name)?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
const present = () => cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name);

test('a pod waits until there is room for what it asks for', async () => {
  await add('a', { cpu: '3', node: 'one' });
  await add('b', { cpu: '2500m', node: 'two' });
  await cluster.advance(1000);
  await add('c', { cpu: '2' });
  await cluster.advance(1000);
  expect(unscheduled('c')).toBe('0/2 nodes are available: 2 Insufficient cpu.');
  await cluster.client()(pods).in('default').delete('b');
  await cluster.advance(10_000);
  expect(nodeOf('c')).toBe('two');
});

test('a node takes no more pods than it says, and one that has ended takes no room', async () => {
  cluster.image('task:1', { run: () => 0 });
  const task = { containers: [{ name: 'main', image: 'task:1', resources: { requests: { cpu: '4' } } }] };
  await add('done', { node: 'one', spec: { ...task, restartPolicy: 'Never' } });
  await cluster.advance(5000);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await add(name, { node: 'one' });
  await cluster.advance(1000);
  expect(['a', 'b', 'c', 'd', 'e'].map(nodeOf)).toEqual(['one', 'one', 'one', 'one', undefined]);
  expect(unscheduled('e')).toBe('0/2 nodes are available: 1 Too many pods.');
});

test('a port of the node belongs to one pod, and a pod that is bound to it all the same fails', async () => {
  const ports = (hostPort: number, hostIP = '') => ({
    containers: [{ name: 'main', image: 'app:1', ports: [{ containerPort: 80, hostPort, hostIP }] }],
  });
  await add('a', { node: 'one', spec: ports(8080) });
  await add('b', { node: 'one', spec: ports(8081, '127.0.0.1') });
  await cluster.advance(1000);
  await add('c', { node: 'one', spec: ports(8080, '127.0.0.1') });
  await add('d', { node: 'one', spec: ports(8081, '127.0.0.2') });
  await add('e', { spec: { ...ports(8080), nodeName: 'one' } });
  await cluster.advance(1000);
  expect(['c', 'd'].map(nodeOf)).toEqual([undefined, 'one']);
  expect(unscheduled('c')).toBe(
    "0/2 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  );
  expect(pod('e')?.status).toMatchObject({ phase: 'Failed', reason: 'NodePorts' });
});

test('pods of a lower priority make room, as few and as unimportant as will do', async () => {
  cluster.image('app:1', { stopsIn: 1500 });
  await add('low', { cpu: '2', priority: 1, node: 'one' });
  await add('middle', { cpu: '2', priority: 5, node: 'one' });
  await add('other', { cpu: '4', priority: 5, node: 'two' });
  await cluster.advance(1000);
  await add('high', { cpu: '2', priority: 9 });
  await cluster.advance(500);
  expect(pod('high')?.status?.nominatedNodeName).toBe('one');
  expect(pod('low')?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  });
  // What is made room for is not free for others.
  await add('late', { cpu: '2', priority: 1 });
  await cluster.advance(10_000);
  expect(nodeOf('high')).toBe('one');
  expect(nodeOf('late')).toBeUndefined();
  expect(present()).toEqual(['high', 'late', 'middle', 'other']);
});

test('nothing is preempted where that would not help, or for a pod that does not want it', async () => {
  await add('low', { cpu: '4', priority: 1, node: 'one' });
  await cluster.advance(1000);
  await add('same', { cpu: '4', priority: 1, node: 'one' });
  await add('large', { cpu: '5', priority: 9 });
  await add('gentle', { cpu: '4', priority: 9, node: 'one', spec: { preemptionPolicy: 'Never' } });
  await cluster.advance(5000);
  expect(present()).toEqual(['gentle', 'large', 'low', 'same']);
  expect(['gentle', 'large', 'same'].map(nodeOf)).toEqual([undefined, undefined, undefined]);
});

test('pods that a budget keeps go last, and two pods that repel each other share no node', async () => {
  const budget = { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } };
  await create(cluster, podDisruptionBudgets, object('policy/v1 PodDisruptionBudget', 'kept', { spec: budget }));
  await add('kept', { priority: 1, node: 'one' });
  await add('free', { priority: 2, node: 'two' });
  await cluster.advance(20_000);
  const term = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  await add('alone', { priority: 9, spec: { affinity } });
  await cluster.advance(10_000);
  expect(nodeOf('alone')).toBe('two');
  expect(present()).toEqual(['alone', 'kept']);
  expect(cluster.objects.list(nodes)).toHaveLength(2);
});
