import type { ResourceDescriptor } from '@ordinal/client';
import { configMaps, pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, object } from '../../../test/objects.ts';

const quotas: ResourceDescriptor = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced' },
};

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
  cluster.image('task:1', { startsIn: 500, crash: { afterMs: 5000, exitCode: 0 } });
});
afterEach(() => cluster.stop());

const used = () =>
  (cluster.objects.find(quotas, 'default', 'few') as { status?: { used?: object } } | undefined)?.status?.used;
const pod = (name: string) =>
  object('v1 Pod', name, { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }] } });
const fewest = (hard: object) => object('v1 ResourceQuota', 'few', { spec: { hard } });

test('a quota refuses what it has no room for, and has room again when a pod has ended', async () => {
  await create(cluster, quotas, fewest({ pods: '1', 'count/configmaps': '3' }));
  await cluster.settle();
  // The certificates of the namespace are one.
  expect(used()).toEqual({ pods: '0', 'count/configmaps': '1' });
  await create(cluster, pods, pod('one'));
  await expect(create(cluster, pods, pod('two'))).rejects.toThrow(
    'pods "two" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
  );
  await cluster.settle();
  expect(used()).toEqual({ pods: '0', 'count/configmaps': '1' });
  await create(cluster, pods, pod('two'));
});

test('what is deleted is used no more', async () => {
  await create(cluster, quotas, fewest({ configmaps: '2' }));
  await cluster.settle();
  await create(cluster, configMaps, object('v1 ConfigMap', 'a'));
  expect(used()).toEqual({ configmaps: '2' });
  await cluster.client()(configMaps).namespace('default').delete('a');
  await cluster.settle();
  expect(used()).toEqual({ configmaps: '1' });
});
