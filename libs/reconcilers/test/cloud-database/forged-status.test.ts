import { afterEach, beforeEach, expect, test } from 'vitest';
import { cloudDatabases } from '@ordinal/api';
import type { KeptThing } from '../external/fake-provider.ts';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

let world: DatabaseWorld;
/** A database of another client. It bears no mark, so that only a record could say that it was taken over. */
let legacy: KeptThing;

const resource = () => world.cluster.client()(cloudDatabases).namespace('default');
const record = () => databaseNow(world.cluster, 'orders')?.status?.external;
const owner = () => databaseNow(world.cluster, 'orders')?.metadata.uid ?? '';

/** What a user does who may write statuses and nothing else. */
const forge = (status: object | null) => resource().status.patch('orders', { type: 'merge', body: { status } });

const takenOver = (id: string) => ({
  instanceId: id,
  external: { id, account: 'test', imported: true, incarnation: 1, token: `${owner()}-1` },
});

async function until(holds: () => boolean): Promise<void> {
  expect(await world.cluster.run({ until: holds, maxVirtualMs: 3_600_000 })).toBe('reached');
}

async function gone(): Promise<void> {
  await resource().delete('orders');
  await until(() => databaseNow(world.cluster, 'orders') === undefined);
}

beforeEach(async () => {
  world = await databaseWorld(1, honest);
  legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
  await resource().create(database('orders', { deletionPolicy: 'Delete', size: 'large' }));
  await until(() => databaseNow(world.cluster, 'orders')?.status?.phase === 'Ready');
});
afterEach(() => world.cluster.stop());

test('a database that a forged status calls taken over is neither changed nor deleted, and the own one is deleted', async () => {
  const own = record()?.id;
  await forge(takenOver(legacy.id));
  await world.cluster.advance(600_000);
  expect(record()?.id).toBe(own);
  await gone();
  expect(world.provider.present()).toEqual([legacy]);
  expect(legacy.fields).toEqual({ displayName: 'legacy', size: 'small' });
});

test('nor where that is written while the object goes', async () => {
  world.provider.outage = 503;
  await resource().delete('orders');
  await world.cluster.advance(30_000);
  await forge(takenOver(legacy.id));
  await world.cluster.advance(30_000);
  world.provider.outage = undefined;
  await until(() => databaseNow(world.cluster, 'orders') === undefined);
  expect(world.provider.present()).toEqual([legacy]);
});

test('a database that is written off in the status is deleted with its object all the same', async () => {
  world.cluster.operator('ordinal', () => Promise.resolve({ stop: () => Promise.resolve() }));
  await forge(null);
  await gone();
  expect(world.provider.present()).toEqual([legacy]);
});

test('a record in the status of another object keeps no database from its owner', async () => {
  await forge(takenOver(legacy.id));
  await resource().create(database('rightful', { externalName: 'legacy', size: 'small' }));
  await until(() => databaseNow(world.cluster, 'rightful')?.status?.phase === 'Ready');
  expect(databaseNow(world.cluster, 'rightful')?.status?.external?.id).toBe(legacy.id);
});
