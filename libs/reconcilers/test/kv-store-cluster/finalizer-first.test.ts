import { kvStoreClusters } from '@ordinal/api';
import { jobs, persistentVolumeClaims, services, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow } from './kv-store-world.ts';

test('the finalizer is there before any child is', async () => {
  const { cluster } = await kvStoreWorld();
  await cluster.client()(kvStoreClusters).namespace('default').create(store({}));
  const { objects } = cluster;
  const hasChildren = (): boolean =>
    objects.list(statefulSets, 'default').length > 0 ||
    objects.list(services, 'default').length > 0 ||
    objects.list(jobs, 'default').length > 0 ||
    objects.list(persistentVolumeClaims, 'default').length > 0;
  // Looked at after every single event.
  await cluster.run({ until: hasChildren, maxVirtualMs: 60_000 });
  expect(hasChildren()).toBe(true);
  expect(storeNow(cluster)?.metadata.finalizers).toEqual(['kvstore.example.com/finalizer']);
  cluster.stop();
});
