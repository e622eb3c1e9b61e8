import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { database, databaseNow, databaseWorld, honest, shifty } from '../external/database-world.ts';

test.each([
  ['an honest provider', honest],
  ['a provider without tokens, with late lists', shifty],
])('a database is created, resized and deleted at %s', async (_what, profile) => {
  const { cluster, provider } = await databaseWorld(1, profile);
  const resource = cluster.client()(cloudDatabases).namespace('default');
  await resource.create(database('orders'));
  await cluster.run({ until: () => databaseNow(cluster, 'orders')?.status?.phase === 'Ready', maxVirtualMs: 600_000 });
  const ready = databaseNow(cluster, 'orders');
  expect(ready?.status).toMatchObject({ phase: 'Ready', instanceId: 't1', endpoint: 't1.db.example:5432' });
  const secret = cluster.objects.find(secrets, 'default', 'orders-connection');
  expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['endpoint', 'host', 'password', 'port', 'username']);

  await resource.patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  await cluster.run({ until: () => provider.things[0]?.fields['size'] === 'large', maxVirtualMs: 600_000 });

  await resource.delete('orders');
  await cluster.run({ until: () => databaseNow(cluster, 'orders') === undefined, maxVirtualMs: 600_000 });
  expect(databaseNow(cluster, 'orders')).toBeUndefined();
  expect(provider.present()).toEqual([]);
  expect(provider.things).toHaveLength(1);
  cluster.stop();
});
