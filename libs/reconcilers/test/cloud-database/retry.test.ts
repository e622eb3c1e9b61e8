import { cloudDatabases } from '@ordinal/api';
import { expect, test } from 'vitest';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

const command = 'kubectl annotate -n default cdb orders ordinal.dev/retry="$(date +%s)" --overwrite';

test('a creation that the provider has refused is tried again at once when a user asks', async () => {
  const { cluster, provider, events } = await databaseWorld(1, honest);
  const resource = cluster.client()(cloudDatabases).namespace('default');
  const statusNow = () => databaseNow(cluster, 'orders')?.status;
  provider.refused.set('POST', 400);
  await resource.create(database('orders'));
  await cluster.advance(60_000);
  expect(statusNow()).toMatchObject({ phase: 'Failed' });
  expect(statusNow()?.conditions?.find(({ type }) => type === 'Synced')?.message).toContain(command);
  provider.refused.clear();
  const annotations = { 'ordinal.dev/retry': '1' };
  await resource.patch('orders', { type: 'merge', body: { metadata: { annotations } } });
  await cluster.advance(3_000);
  expect(statusNow()?.phase).toBe('Provisioning');
  expect(statusNow()?.retryToken).toBe('1');
  expect(events.filter(({ reason }) => reason === 'RetryRequested')).toHaveLength(1);
  cluster.stop();
});
