import { configMaps, pods, statefulSets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleOperator, sampleScenario } from '../../test/sample-operator.ts';
import { stage } from '../explore/scenario.ts';
import type { SimulatedCluster } from '@ordinal/simulator';

let cluster: SimulatedCluster;
const image = (name: string): Promise<unknown> =>
  cluster
    .client()(configMaps)
    .namespace('default')
    .patch('app', { type: 'merge', body: { data: { image: name } } });
const images = (): readonly unknown[] =>
  cluster.objects.list(pods, 'default').map(({ spec, status }) => [spec.containers[0]?.image, status?.phase]);
const running = (): number => cluster.nodes.flatMap((node) => [...node.running()]).length;
const wanted = (): unknown =>
  cluster.objects.find(statefulSets, 'default', 'app')?.spec?.template.spec?.containers[0]?.image;
const three = (name: string) => Array.from({ length: 3 }, () => [name, 'Running']);

beforeEach(async () => {
  ({ cluster } = await stage({ ...sampleScenario(), operator: sampleOperator(), drive: undefined } as never, 5));
});
afterEach(() => cluster.stop());

test('an operator goes on by itself when etcd was restored: what is asked for then is done within 30 s', async () => {
  await cluster.advance(60_000);
  const backup = cluster.clock.now();
  await cluster.advance(1000);
  await image('app:2');
  await cluster.advance(120_000);
  expect(images()).toEqual(three('app:2'));
  cluster.restore(backup);
  await image('app:3');
  await cluster.advance(30_000);
  expect(wanted()).toBe('app:3');
  await image('app:2');
  await cluster.advance(1000);
  expect(wanted()).toBe('app:2');
});

test('nodes end the pods that are not there any more, and run those that are there again', async () => {
  await cluster.advance(60_000);
  const backup = cluster.clock.now();
  await cluster.advance(1000);
  const sets = cluster.client()(statefulSets).namespace('default');
  await sets.patch('app', { type: 'merge', body: { spec: { replicas: 5 } } });
  await cluster.advance(60_000);
  expect(running()).toBe(5);
  cluster.restore(backup);
  await cluster.advance(60_000);
  expect([running(), images()]).toEqual([3, three('app:1')]);
});
