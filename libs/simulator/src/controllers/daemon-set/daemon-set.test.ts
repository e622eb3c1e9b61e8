import { daemonSets, nodes, pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, merge, object, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false, nodes: 3 });
});
afterEach(() => cluster.stop());

const daemon = (spec: Record<string, unknown> = {}, podSpec: Record<string, unknown> = {}) =>
  object('apps/v1 DaemonSet', 'agent', {
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: template('agent', 'app:1', podSpec),
      ...spec,
    },
  });
const status = () => cluster.objects.find(daemonSets, 'default', 'agent')?.status;
const podsNow = () => cluster.objects.list(pods, 'default');
const onNodes = () => podsNow().map(({ spec }) => spec?.nodeName);
const images = () => podsNow().map(({ spec }) => spec?.containers[0]?.image);
const settled = (count: number) => () =>
  status()?.numberAvailable === count && status()?.updatedNumberScheduled === count && podsNow().length === count;
const names = () => cluster.objects.list(nodes).map(({ metadata }) => metadata.name);
const update = (image: string) => merge(cluster, daemonSets, 'agent', { spec: { template: template('agent', image) } });

const patch = (path: string, body: object) =>
  cluster.client().request('PATCH', path, { body, headers: { 'content-type': 'application/merge-patch+json' } });

test('has one pod on each node, and replaces one that is deleted', async () => {
  await create(cluster, daemonSets, daemon());
  expect(await cluster.run({ until: settled(3) })).toBe('reached');
  expect(onNodes().sort()).toEqual(names().sort());
  expect(status()).toMatchObject({ desiredNumberScheduled: 3, currentNumberScheduled: 3, numberMisscheduled: 0 });
  const [first] = podsNow();
  await cluster
    .client()(pods)
    .namespace('default')
    .delete(first?.metadata.name ?? '');
  await cluster.advance(60_000);
  expect(onNodes().sort()).toEqual(names().sort());
  expect(podsNow().map(({ metadata }) => metadata.uid)).not.toContain(first?.metadata.uid);
});

test('follows the labels of nodes, and their taints', async () => {
  await create(cluster, daemonSets, daemon({}, { nodeSelector: { disk: 'fast' } }));
  await cluster.advance(10_000);
  expect(podsNow()).toEqual([]);
  const [first = '', second = ''] = names();
  const change = (name: string, body: object) => patch(`/api/v1/nodes/${name}`, body);
  await change(first, { metadata: { labels: { disk: 'fast' } } });
  await change(second, {
    metadata: { labels: { disk: 'fast' } },
    spec: { taints: [{ key: 'example.com/own', effect: 'NoSchedule' }] },
  });
  expect(await cluster.run({ until: settled(1) })).toBe('reached');
  expect(onNodes()).toEqual([first]);
  await change(first, { metadata: { labels: { disk: 'slow' } } });
  await change(second, { spec: { taints: [], unschedulable: true } });
  await cluster.advance(60_000);
  expect(onNodes()).toEqual([second]);
});

test('replaces old pods one after the other, and rolls back to an old revision', async () => {
  await create(cluster, daemonSets, daemon());
  expect(await cluster.run({ until: settled(3) })).toBe('reached');
  await update('app:2');
  let fewest = 3;
  const done = settled(3);
  expect(
    await cluster.run({
      until: () => {
        fewest = Math.min(fewest, status()?.numberAvailable ?? 0);
        return images().every((image) => image === 'app:2') && done();
      },
    }),
  ).toBe('reached');
  expect(fewest).toBe(2);
  await update('app:1');
  expect(await cluster.run({ until: () => images().every((image) => image === 'app:1') && done() })).toBe('reached');
  const revisions = await cluster.client().request('GET', '/apis/apps/v1/namespaces/default/controllerrevisions');
  const numbers = (revisions as { items: readonly { revision: number }[] }).items.map(({ revision }) => revision);
  expect(numbers.sort()).toEqual([2, 3]);
});

test('surges: a new pod is available before the old one of its node goes', async () => {
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  await create(cluster, daemonSets, daemon({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
  expect(await cluster.run({ until: settled(3) })).toBe('reached');
  await update('app:2');
  let most = 3;
  const done = () => images().every((image) => image === 'app:2') && settled(3)();
  const until = () => {
    most = Math.max(most, podsNow().filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
    const ready = podsNow().filter(({ status: { conditions = [] } = {} }) =>
      conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    );
    expect(new Set(ready.map(({ spec }) => spec?.nodeName)).size).toBe(3);
    return done();
  };
  expect(await cluster.run({ until })).toBe('reached');
  expect(most).toBe(4);
});

test('leaves old pods to their deletion with OnDelete', async () => {
  await create(cluster, daemonSets, daemon({ updateStrategy: { type: 'OnDelete' } }));
  expect(await cluster.run({ until: settled(3) })).toBe('reached');
  await update('app:2');
  await cluster.advance(60_000);
  expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
  await cluster
    .client()(pods)
    .namespace('default')
    .delete(podsNow()[0]?.metadata.name ?? '');
  await cluster.advance(60_000);
  expect(images().sort()).toEqual(['app:1', 'app:1', 'app:2']);
  expect(status()).toMatchObject({ updatedNumberScheduled: 1 });
});

test('replaces a pod that failed', async () => {
  await create(cluster, daemonSets, daemon());
  expect(await cluster.run({ until: settled(3) })).toBe('reached');
  const [first] = podsNow();
  await patch(`/api/v1/namespaces/default/pods/${first?.metadata.name ?? ''}/status`, { status: { phase: 'Failed' } });
  await cluster.advance(60_000);
  expect(podsNow().map(({ metadata }) => metadata.uid)).not.toContain(first?.metadata.uid);
  expect(settled(3)()).toBe(true);
});
