import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';
import { contradictionsIn, shortOf } from '../world/phase-and-conditions.ts';

const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');
const statusNow = ({ cluster }: DatabaseWorld) => databaseNow(cluster, 'orders')?.status;
const isReady = (world: DatabaseWorld) => () => statusNow(world)?.phase === 'Ready';

/** Every contradiction that a write of the object shows, with the status that shows it. */
function watched({ cluster }: DatabaseWorld): readonly string[] {
  const found: string[] = [];
  cluster.server.store.subscribe(({ kind, after, deleted }) => {
    if (kind !== 'clouddatabases.db.example.com' || deleted) return;
    const { status } = after as { readonly status?: Parameters<typeof shortOf>[0] };
    const all = contradictionsIn('CloudDatabase', status);
    if (all.length > 0) found.push(`${all.join('; ')}: ${shortOf(status).join(', ')}`);
  });
  return found;
}

test('a creation that the provider refuses is Failed, and Ready says why', async () => {
  const world = await databaseWorld(1, honest);
  const found = watched(world);
  world.provider.refused.set('POST', 400);
  await resource(world).create(database('orders'));
  await world.cluster.advance(60_000);
  expect(found).toEqual([]);
  expect(shortOf(statusNow(world))).toEqual(['Failed', 'Ready=False CallFailed', 'Synced=False CallFailed']);
  world.provider.refused.clear();
  await world.cluster.run({ until: isReady(world), maxVirtualMs: 1_200_000 });
  expect(shortOf(statusNow(world))).toEqual(['Ready', 'Ready=True Available', 'Synced=True Available']);
  expect(found).toEqual([]);
  world.cluster.stop();
});

test('a database whose Secret names another account stays Ready as long as it is, and Synced says what is wrong', async () => {
  const world = await databaseWorld(1, honest);
  const found = watched(world);
  const account = world.cluster.client()(secrets).namespace('default');
  const metadata = { name: 'account', namespace: 'default' };
  await account.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { account: btoa('one') } });
  await resource(world).create(database('orders', { providerRef: { name: 'account' } }));
  await world.cluster.run({ until: isReady(world), maxVirtualMs: 600_000 });
  await account.patch('account', { type: 'merge', body: { data: { account: btoa('two') } } });
  await world.cluster.advance(60_000);
  expect(found).toEqual([]);
  expect(shortOf(statusNow(world))).toEqual(['Ready', 'Ready=True Available', 'Synced=False CallFailed']);
  world.cluster.stop();
});

test('a database that can be used stays so when a change of it is refused', async () => {
  const world = await databaseWorld(1, honest);
  const found = watched(world);
  await resource(world).create(database('orders'));
  await world.cluster.run({ until: isReady(world), maxVirtualMs: 600_000 });
  world.provider.refused.set('PATCH', 400);
  await resource(world).patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  await world.cluster.advance(60_000);
  expect(found).toEqual([]);
  expect(shortOf(statusNow(world))).toEqual(['Ready', 'Ready=True Available', 'Synced=False CallFailed']);
  world.cluster.stop();
});

test('without its connection Secret a database is not Ready', async () => {
  const world = await databaseWorld(1, honest);
  const found = watched(world);
  await resource(world).create(database('orders'));
  await world.cluster.run({ until: isReady(world), maxVirtualMs: 600_000 });
  const connections = world.cluster.client()(secrets).namespace('default');
  await connections.patch('orders-connection', { type: 'merge', body: { metadata: { ownerReferences: null } } });
  await world.cluster.advance(60_000);
  expect(found).toEqual([]);
  expect(shortOf(statusNow(world))).toEqual(['Failed', 'Ready=False OwnedByAnother', 'Synced=False OwnedByAnother']);
  world.cluster.stop();
});
