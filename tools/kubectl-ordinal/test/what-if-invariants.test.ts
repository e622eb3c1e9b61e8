import { persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { watchInvariants } from '@ordinal/explorer';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { invariantsOf } from '../src/what-if/invariants.ts';

const labels = { app: 'web' };
const operator = 'the operator';

/** A StatefulSet of three members that run, an operator that may do anything, and what is found of it. */
async function world() {
  const cluster = await SimulatedCluster.start({ events: false });
  onTestFinished(() => cluster.stop());
  cluster.image('web:1', { startsIn: 10_000 });
  const spec = {
    ...{ replicas: 3, serviceName: 'web', selector: { matchLabels: labels }, podManagementPolicy: 'Parallel' },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  };
  await cluster
    .client()(statefulSets)
    .namespace('default')
    .create({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' }, spec });
  await cluster.settle();
  const { violations } = watchInvariants(cluster, invariantsOf(new Set(['data-web-2'])), new Set([operator]));
  const client = cluster.client({ name: operator, groups: ['system:masters'] });
  await cluster
    .client()(pods)
    .namespace('default')
    .patch('web-0', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await cluster
    .client()(pods)
    .namespace('default')
    .patch('web-1', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  const remove = async (name: string): Promise<void> => {
    const uid = cluster.objects.find(pods, 'default', name)?.metadata.uid ?? '';
    await client(pods).namespace('default').delete(name, { preconditions: { uid } });
  };
  return { cluster, client, violations, remove };
}

test('one member after the other is as it should be; two at a time are not', async () => {
  const { cluster, violations, remove } = await world();
  await remove('web-0');
  await cluster.settle();
  await remove('web-1');
  expect(violations).toEqual([]);
  await cluster.advance(1_000);
  await remove('web-0');
  expect(violations.map(({ message }) => message)).toEqual([
    'web-0 was serving and deleted while web-1 had not come back',
  ]);
});

test('a claim that goes, though it stays without faults, and a delete that names no object', async () => {
  const { cluster, client, violations } = await world();
  for (const name of ['data-web-1', 'data-web-2'])
    await client(persistentVolumeClaims).namespace('default').delete(name);
  await cluster.client()(pods).namespace('default').delete('web-1');
  await cluster.client()(pods).namespace('default').delete('web-2');
  await cluster.settle();
  expect(violations.map(({ message }) => message)).toEqual([
    'persistentvolumeclaims default/data-web-1 was deleted without a UID precondition',
    'data-web-1 was deleted',
  ]);
});
