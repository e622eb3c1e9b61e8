import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest, tardy } from '../external/database-world.ts';

const providerSecret = (name: string, token = 'one') => ({
  apiVersion: 'v1' as const,
  kind: 'Secret' as const,
  metadata: { name, namespace: 'default' },
  data: { provider: btoa('test'), token: btoa(token) },
});

async function ready({ cluster }: DatabaseWorld, ...names: readonly string[]): Promise<void> {
  const isReady = (name: string): boolean => databaseNow(cluster, name)?.status?.phase === 'Ready';
  await cluster.run({ until: () => names.every(isReady), maxVirtualMs: 600_000 });
  expect(names.filter((name) => !isReady(name))).toEqual([]);
}

test('a Secret that several databases refer to wakes exactly those', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  const client = cluster.client();
  for (const name of ['shared', 'other']) await client(secrets).namespace('default').create(providerSecret(name));
  const users = { first: 'shared', second: 'shared', third: 'other' };
  for (const [name, secret] of Object.entries(users)) {
    await client(cloudDatabases)
      .namespace('default')
      .create(database(name, { providerRef: { name: secret } }));
  }
  await ready(world, ...Object.keys(users));
  await cluster.advance(60_000);
  const before = cluster.trace.entries.length;
  await client(secrets)
    .namespace('default')
    .patch('shared', { type: 'merge', body: { data: { token: btoa('two') } } });
  await cluster.advance(5_000);
  const asked = cluster.trace.entries
    .slice(before)
    .flatMap(({ action, subject }) => (action === 'call' ? [subject] : []));
  const idsOf = (secret: string) =>
    provider.things
      .filter(({ fields }) =>
        Object.entries(users).some(([name, used]) => used === secret && fields['displayName'] === `default/${name}`),
      )
      .map(({ id }) => `GET http://cloud.example/${id}`);
  expect(asked.sort()).toEqual(idsOf('shared').sort());
  cluster.stop();
});

test('credentials stay for as long as a database needs them', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  const client = cluster.client();
  await client(secrets).namespace('default').create(providerSecret('account'));
  await client(cloudDatabases)
    .namespace('default')
    .create(database('orders', { providerRef: { name: 'account' } }));
  await ready(world, 'orders');
  expect(cluster.objects.find(secrets, 'default', 'account')?.metadata.finalizers).toEqual(['db.example.com/in-use']);
  await client(secrets).namespace('default').delete('account');
  await cluster.advance(30_000);
  expect(cluster.objects.find(secrets, 'default', 'account')?.metadata.deletionTimestamp).toBeDefined();
  await client(cloudDatabases).namespace('default').delete('orders');
  await cluster.run({
    until: () => cluster.objects.find(secrets, 'default', 'account') === undefined,
    maxVirtualMs: 600_000,
  });
  expect(cluster.objects.find(secrets, 'default', 'account')).toBeUndefined();
  expect(provider.present()).toEqual([]);
  cluster.stop();
});

test('credentials whose protection a user has removed do not block a deletion (I18)', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  const account = cluster.client()(secrets).namespace('default');
  const held = ['example.com/held'];
  await account.create({
    ...providerSecret('account'),
    metadata: { name: 'account', namespace: 'default', finalizers: held },
  });
  const databases = cluster.client()(cloudDatabases).namespace('default');
  await databases.create(database('orders', { providerRef: { name: 'account' } }));
  await ready(world, 'orders');
  await account.delete('account');
  await account.patch('account', { type: 'merge', body: { metadata: { finalizers: held } } });
  await databases.delete('orders');
  await cluster.run({ until: () => databaseNow(cluster, 'orders') === undefined, maxVirtualMs: 600_000 });
  expect(databaseNow(cluster, 'orders')).toBeUndefined();
  expect(provider.present()).toEqual([]);
  cluster.stop();
});

test('a connection Secret that is deleted while the database is made, and again when it is there, is complete in the end, and the database has its password', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  const connection = cluster.client()(secrets).namespace('default');
  const present = () => cluster.objects.find(secrets, 'default', 'orders-connection');
  const data = () => present()?.data ?? {};
  await cluster.client()(cloudDatabases).namespace('default').create(database('orders'));
  for (const instant of [200, 3_000, 18_000, 1, 500]) {
    await cluster.advance(instant);
    await cluster.run({ until: () => present() !== undefined, maxVirtualMs: 60_000 });
    await connection.delete('orders-connection');
  }
  await cluster.advance(60_000);
  await ready(world, 'orders');
  expect(atob(data()['password'] ?? '')).toBe(provider.things[0]?.fields['password']);
  expect(atob(data()['host'] ?? '')).toBe('t1.db.example');
  expect(provider.things).toHaveLength(1);
  cluster.stop();
});

test('a connection Secret that is deleted comes back with a new password, which is sent to the provider', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  await cluster.client()(cloudDatabases).namespace('default').create(database('orders'));
  await ready(world, 'orders');
  const passwordNow = (): string =>
    atob(cluster.objects.find(secrets, 'default', 'orders-connection')?.data?.['password'] ?? '');
  const first = passwordNow();
  expect(provider.things[0]?.fields['password']).toBe(first);
  await cluster.client()(secrets).namespace('default').delete('orders-connection');
  await cluster.run({ until: () => provider.things[0]?.fields['password'] !== first, maxVirtualMs: 600_000 });
  await cluster.advance(10_000);
  expect(passwordNow()).not.toBe(first);
  expect(provider.things[0]?.fields['password']).toBe(passwordNow());
  cluster.stop();
});

test('a creation whose reply was lost is repeated with the new password of a Secret that was deleted meanwhile: the database has that one', async () => {
  const world = await databaseWorld(1, tardy);
  const { cluster, provider, operator } = world;
  const passwordNow = (): string =>
    atob(cluster.objects.find(secrets, 'default', 'orders-connection')?.data?.['password'] ?? '');
  const release = operator.hook({
    after: ({ method }) => {
      if (method !== 'POST' || provider.things.length === 0) return undefined;
      release();
      return { lose: true };
    },
  });
  await cluster.client()(cloudDatabases).namespace('default').create(database('orders'));
  await cluster.run({ until: () => provider.things.length > 0, maxVirtualMs: 60_000 });
  const first = passwordNow();
  await cluster.client()(secrets).namespace('default').delete('orders-connection');
  await ready(world, 'orders');
  await cluster.advance(60_000);
  // The provider knows tokens: the second creation gave back the first one's database, which has the first password.
  expect(provider.calls['POST']).toBeGreaterThan(1);
  expect(provider.things).toHaveLength(1);
  expect(passwordNow()).not.toBe(first);
  expect(provider.things[0]?.fields['password']).toBe(passwordNow());
  cluster.stop();
});

test('nothing is written and nothing is asked more often than needed when nothing changes', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, operator } = world;
  await cluster.client()(cloudDatabases).namespace('default').create(database('orders'));
  await ready(world, 'orders');
  await cluster.advance(60_000);
  const [writes, calls] = [operator.writes, operator.externalCalls];
  await cluster.advance(3_600_000);
  expect(operator.writes).toBe(writes);
  expect(operator.externalCalls - calls).toBeLessThanOrEqual(7);
  cluster.stop();
});
