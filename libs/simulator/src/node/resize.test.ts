import { pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, object } from '../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10' };
  cluster = await SimulatedCluster.start({ events: false, nodes: [{ name: 'one', allocatable }] });
});
afterEach(() => cluster.stop());

const container = (cpu: string, more: object = {}) => ({
  ...{ name: 'main', image: 'app:1' },
  resources: { requests: { cpu } },
  ...more,
});
const add = (name: string, containers: readonly object[]): Promise<unknown> =>
  create(cluster, pods, object('v1 Pod', name, { spec: { containers } }));
const status = (name: string) => cluster.objects.find(pods, 'default', name)?.status;
const main = (name: string) => status(name)?.containerStatuses?.[0];
const pending = (name: string) => status(name)?.conditions?.find(({ type }) => type === 'PodResizePending');

async function write(name: string, subresource: string, spec: object): Promise<number> {
  const reply = await cluster.transport().send({
    method: 'PATCH',
    path: `/api/v1/namespaces/default/pods/${name}/${subresource}`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: new TextEncoder().encode(JSON.stringify({ spec })),
  });
  return reply.status;
}
const resize = (name: string, cpu: string) => write(name, 'resize', { containers: [container(cpu)] });

test('a pod gets other resources while it runs, and starts again only where its policy says so', async () => {
  await add('a', [container('1')]);
  await add('b', [container('1', { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] })]);
  await cluster.advance(5000);
  expect(main('a')).toMatchObject({ allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } });
  expect([await resize('a', '1500m'), await resize('b', '1500m')]).toEqual([200, 200]);
  await cluster.advance(5000);
  expect(main('a')).toMatchObject({ allocatedResources: { cpu: '1500m' }, restartCount: 0 });
  expect(main('b')).toMatchObject({ allocatedResources: { cpu: '1500m' }, restartCount: 1 });
  expect(status('a')).toMatchObject({ observedGeneration: 2 });
});

test('what its node has not, a pod does not get, or gets later', async () => {
  await add('a', [container('1')]);
  await add('b', [container('2')]);
  await cluster.advance(5000);
  await resize('a', '8');
  await cluster.advance(2000);
  expect(pending('a')).toMatchObject({ reason: 'Infeasible', message: "Node didn't have enough capacity: cpu" });
  await resize('a', '3');
  await cluster.advance(2000);
  expect(pending('a')).toMatchObject({ reason: 'Deferred', message: "Node didn't have enough resource: cpu" });
  expect(main('a')).toMatchObject({ allocatedResources: { cpu: '1' } });
  await cluster.client()(pods).in('default').delete('b');
  await cluster.advance(60_000);
  expect(pending('a')).toBeUndefined();
  expect(main('a')).toMatchObject({ allocatedResources: { cpu: '3' }, restartCount: 0 });
});

test('an ephemeral container joins a pod that runs, and ends with it', async () => {
  const seen: string[] = [];
  cluster.image('debug:1', { run: (process) => (seen.push(process.container), new Promise(() => undefined)) });
  await add('a', [container('1')]);
  await cluster.advance(5000);
  expect(await write('a', 'ephemeralcontainers', { ephemeralContainers: [{ name: 'debug', image: 'debug:1' }] })).toBe(
    200,
  );
  await cluster.advance(5000);
  expect(seen).toEqual(['debug']);
  expect(status('a')?.ephemeralContainerStatuses?.[0]).toMatchObject({ name: 'debug', state: { running: {} } });
  expect(cluster.process('default', 'a', 'debug')).toBeDefined();
  await cluster.client()(pods).in('default').delete('a');
  await cluster.advance(60_000);
  expect(status('a')).toBeUndefined();
});
