import { readFileSync } from 'node:fs';
import { cloudDatabases } from '@ordinal/api';
import { isApiError, secrets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { validateCloudDatabase } from '../../src/cloud-database/index.ts';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

const conditionNow = ({ cluster }: DatabaseWorld, type: string) =>
  databaseNow(cluster, 'orders')?.status?.conditions?.find((condition) => condition.type === type);

const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');

async function ready({ cluster }: DatabaseWorld): Promise<void> {
  const phase = () => databaseNow(cluster, 'orders')?.status?.phase;
  await cluster.run({ until: () => phase() === 'Ready', maxVirtualMs: 120_000 });
  expect(phase()).toBe('Ready');
}

test('a Secret of another owner in the place of the connection is left alone, and its deletion is noticed', async () => {
  const world = await databaseWorld(1, honest);
  const { cluster, provider } = world;
  const foreign = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'orders-connection', namespace: 'default' },
  } as const;
  await cluster.client()(secrets).namespace('default').create(foreign);
  await resource(world).create(database('orders'));
  await cluster.advance(30_000);
  expect(conditionNow(world, 'Synced')).toMatchObject({ status: 'False', reason: 'OwnedByAnother' });
  expect(cluster.objects.find(secrets, 'default', 'orders-connection')?.data).toBeUndefined();
  expect(provider.things).toEqual([]);
  await cluster.client()(secrets).namespace('default').delete('orders-connection');
  await ready(world);
  cluster.stop();
});

test('a spec that makes no sense came past the webhook: it is said, nothing is made, and it can be deleted', async () => {
  const world = await databaseWorld(1, honest);
  await resource(world).create(database('orders', { providerRef: { name: 'orders-connection' } }));
  await world.cluster.advance(30_000);
  expect(databaseNow(world.cluster, 'orders')?.status?.phase).toBe('Failed');
  expect(conditionNow(world, 'Synced')).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  expect(world.provider.calls).toEqual({});
  await resource(world).delete('orders');
  await world.cluster.advance(30_000);
  expect(databaseNow(world.cluster, 'orders')).toBeUndefined();
  world.cluster.stop();
});

/** A database that is Ready, and whose spec then becomes invalid. */
async function becameInvalid(): Promise<DatabaseWorld> {
  const world = await databaseWorld(1, honest);
  await resource(world).create(database('orders'));
  await ready(world);
  const spec = { deletionPolicy: 'Delete', managementPolicies: ['Observe'] };
  await resource(world).patch('orders', { type: 'merge', body: { spec } });
  await world.cluster.advance(30_000);
  expect(conditionNow(world, 'Synced')).toMatchObject({ reason: 'InvalidSpec' });
  return world;
}

test('a deletion comes before validity: it ends while the spec is invalid, and only what the spec allows is deleted outside', async () => {
  const world = await becameInvalid();
  await resource(world).delete('orders');
  await world.cluster.advance(120_000);
  expect(databaseNow(world.cluster, 'orders')).toBeUndefined();
  expect(world.provider.present()).toHaveLength(1);
  world.cluster.stop();
});

test('a database that became invalid and is valid again is deleted outside, too', async () => {
  const world = await becameInvalid();
  await resource(world).patch('orders', { type: 'merge', body: { spec: { managementPolicies: ['*'] } } });
  await resource(world).delete('orders');
  await world.cluster.advance(120_000);
  expect(databaseNow(world.cluster, 'orders')).toBeUndefined();
  expect(world.provider.present()).toEqual([]);
  world.cluster.stop();
});

test.each([
  ['engine', { engine: 'mysql' }],
  ['providerRef', { providerRef: { name: 'other' } }],
  ['externalName', { externalName: 'other' }],
  ['connectionSecretRef', { connectionSecretRef: { name: 'other' } }],
])('%s can not be changed, because the database stays what and where it is (S0.20)', async (_field, spec) => {
  const url = new URL('../../../api/crds/clouddatabases.db.example.com.yaml', import.meta.url);
  const cluster = await SimulatedCluster.start({ crds: [readFileSync(url, 'utf8')], nodes: 0 });
  const databases = cluster.client()(cloudDatabases).namespace('default');
  const given = { providerRef: { name: 'account' }, connectionSecretRef: { name: 'mine' } };
  await databases.create(database('orders', given));
  const change = databases.patch('orders', { type: 'merge', body: { spec } });
  await expect(change).rejects.toSatisfy((error) => isApiError(error, 'Invalid'));
  await databases.patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  cluster.stop();
});

const parsed = (name: string, spec: Parameters<typeof database>[1]) => {
  const { spec: wanted } = database(name, spec);
  const metadata = { name, uid: '1', resourceVersion: '1' };
  return validateCloudDatabase({ metadata, spec: { managementPolicies: ['*'], ...wanted } } as never).map(
    ({ path }) => path,
  );
};

test.each<[string, string, Parameters<typeof database>[1], string[]]>([
  ['nothing but what is needed', 'orders', {}, []],
  ['a name so long that its Secret has none', 'o'.repeat(250), {}, ['metadata.name']],
  [
    'a Secret that can not be named so',
    'orders',
    { connectionSecretRef: { name: 'Not A Name' } },
    ['spec.connectionSecretRef.name'],
  ],
  [
    'the provider’s Secret for the connection',
    'orders',
    { providerRef: { name: 'a' }, connectionSecretRef: { name: 'a' } },
    ['spec.connectionSecretRef.name'],
  ],
  [
    'a snapshot by a user who may not delete',
    'orders',
    { deletionPolicy: 'Snapshot', managementPolicies: ['Observe'] },
    ['spec.deletionPolicy'],
  ],
  ['only watched, and retained', 'orders', { deletionPolicy: 'Retain', managementPolicies: ['Observe'] }, []],
])('faults of %s', (_what, name, spec, faults) => {
  expect(parsed(name, spec)).toEqual(faults);
});
