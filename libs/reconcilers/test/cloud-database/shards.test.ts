import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { database, databaseNow, databaseOperator, databaseWorld, honest } from '../external/database-world.ts';

const inShard = (name: string, shard: string) => {
  const wanted = database(name, { providerRef: { name: 'account' } });
  return { ...wanted, metadata: { ...wanted.metadata, labels: { shard } } };
};

test('two operators keep a shard each, and a Secret that both shards need is kept until the last of both is gone', async () => {
  const { cluster, provider, operator } = await databaseWorld(1, honest, { shard: 'shard=a' });
  const other = cluster.operator('other', databaseOperator(honest, 'shard=b'));
  const client = cluster.client();
  const account = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'account', namespace: 'default' },
    data: { provider: btoa('test') },
  } as const;
  await client(secrets).namespace('default').create(account);
  const resource = client(cloudDatabases).namespace('default');
  for (const [name, shard] of [
    ['one', 'a'],
    ['two', 'b'],
    ['none', 'c'],
  ] as const)
    await resource.create(inShard(name, shard));
  await cluster.advance(120_000);
  const phases = ['one', 'two', 'none'].map((name) => databaseNow(cluster, name)?.status?.phase);
  expect(phases).toEqual(['Ready', 'Ready', undefined]);
  expect(provider.things).toHaveLength(2);
  expect([operator.externalCalls > 0, other.externalCalls > 0]).toEqual([true, true]);

  await resource.delete('none');
  await resource.delete('one');
  await cluster.advance(120_000);
  await client(secrets).namespace('default').delete('account');
  await cluster.advance(30_000);
  const secretNow = () => cluster.objects.find(secrets, 'default', 'account');
  expect(secretNow()?.metadata.finalizers).toEqual(['db.example.com/in-use']);
  await resource.delete('two');
  await cluster.advance(120_000);
  expect(secretNow()).toBeUndefined();
  expect(provider.present()).toEqual([]);
  cluster.stop();
});
