import { kvStoreClusters } from '@ordinal/api';
import { expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';

test('a write that fails for long is tried ever more seldom, and its beginning is kept', async () => {
  const { cluster } = await kvStoreWorld();
  const resource = cluster.client()(kvStoreClusters).namespace('default');
  await resource.create(store());
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  let tries = 0;
  let statusWrites = 0;
  const stop = cluster.server.intercept({
    before: ({ verb, resource: { plural } }) => {
      if (plural === 'kvstoreclusters' && verb === 'patch') statusWrites += 1;
      if (verb !== 'apply' || plural !== 'statefulsets') return undefined;
      tries += 1;
      return {
        refuse: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' },
      };
    },
  });
  await resource.patch('orders', { type: 'merge', body: { spec: { replicas: 4 } } });
  await cluster.advance(60_000);
  const since = storeNow(cluster)?.status?.processingError?.since;
  expect(since).toBeDefined();
  [tries, statusWrites] = [0, 0];
  await cluster.advance(3_600_000);
  expect(storeNow(cluster)?.status?.processingError?.since).toBe(since);
  expect(tries).toBeLessThan(20);
  expect(statusWrites).toBe(0);
  stop();
  await cluster.run({ until: () => storeNow(cluster)?.status?.readyReplicas === 4, maxVirtualMs: 7_200_000 });
  expect(storeNow(cluster)?.status?.processingError).toBeUndefined();
  cluster.stop();
}, 30_000);
