import { statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { change } from './cluster-states.ts';
import { stores } from './store-steps.ts';

/** `kubectl set image statefulset/orders kvstore=my-repo/kvstore:VERSION`: what says which template of ours it is, stays. */
const setImage = (cluster: SimulatedCluster, version: string) =>
  cluster
    .client()(statefulSets)
    .namespace('default')
    .patch('orders', {
      type: 'strategic',
      body: {
        spec: { template: { spec: { containers: [{ name: 'kvstore', image: `my-repo/kvstore:${version}` }] } } },
      },
    });

const templateNow = (cluster: SimulatedCluster): string | undefined =>
  cluster.objects.find(statefulSets, 'default', 'orders')?.spec?.template.spec?.containers[0]?.image;

const seeds = [1, 2, 3, 4, 5, 6];

test.each(seeds)('a member made of another client’s template that can not work is replaced (seed %i)', async (seed) => {
  const { cluster } = await kvStoreWorld(seed);
  await stores(cluster).create(store());
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await setImage(cluster, 'broken');
  await cluster.advance(300_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(storeNow(cluster)?.status?.phase).toBe('Ready');
  cluster.stop();
});

test('members made of it while the operator was away are replaced', async () => {
  const { cluster, operator } = await kvStoreWorld();
  await stores(cluster).create(store());
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  operator.crash();
  await setImage(cluster, 'broken');
  await cluster.advance(60_000);
  expect(images(cluster)).toContain('broken');
  operator.start();
  await cluster.advance(300_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(storeNow(cluster)?.status?.phase).toBe('Ready');
  cluster.stop();
});

test('an upgrade that fails goes back to what ran, not to what a user had set', async () => {
  const { cluster, operator } = await kvStoreWorld();
  await stores(cluster).create(store({ upgrade: { progressDeadline: '2m' } }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  operator.crash();
  await setImage(cluster, 'broken');
  await cluster.advance(60_000);
  await change(cluster, { version: 'broken' });
  operator.start();
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  await cluster.advance(300_000);
  expect(templateNow(cluster)).toBe('my-repo/kvstore:1.0');
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  cluster.stop();
});
