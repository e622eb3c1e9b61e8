import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest, otherAccount } from '../external/database-world.ts';

let world: DatabaseWorld;

const now = () => databaseNow(world.cluster, 'orders');
const resource = () => world.cluster.client()(cloudDatabases).namespace('default');
const account = () => world.cluster.client()(secrets).namespace('default');
const means = (name: string) => account().patch('account', { type: 'merge', body: { data: { account: btoa(name) } } });
const follow = (name: string) =>
  resource().patch('orders', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/follow-account': name } } },
  });
const synced = () => now()?.status?.conditions?.find(({ type }) => type === 'Synced');
const followed = () => world.events.filter(({ reason }) => reason === 'AccountFollowed');

async function created(spec: object = {}): Promise<void> {
  await resource().create(database('orders', { providerRef: { name: 'account' }, ...spec }));
  await world.cluster.run({ until: () => now()?.status?.phase === 'Ready', maxVirtualMs: 600_000 });
}

beforeEach(async () => {
  world = await databaseWorld(1, honest);
  const metadata = { name: 'account', namespace: 'default' };
  await account().create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { account: btoa('one') } });
});
afterEach(() => world.cluster.stop());

test('a renamed endpoint is not followed because a Secret says so, and the message has the command', async () => {
  await created();
  await means('two');
  await world.cluster.advance(60_000);
  expect(synced()).toMatchObject({ status: 'False', reason: 'CallFailed' });
  expect(synced()?.message).toContain(
    "kubectl annotate -n default clouddatabase orders ordinal.dev/follow-account='two' --overwrite",
  );
  expect(now()?.status?.external).toMatchObject({ account: 'one' });
});

test('nor is it where the object names another one', async () => {
  await created();
  await follow('three');
  await means('two');
  await world.cluster.advance(60_000);
  expect(now()?.status?.external).toMatchObject({ account: 'one' });
});

test('an account that the object names, and where the database is found, is followed: status and event say so', async () => {
  await created();
  await means('two');
  await follow('two');
  await world.cluster.advance(60_000);
  expect(now()?.status).toMatchObject({ phase: 'Ready', external: { account: 'two', followedFrom: 'one', id: 't1' } });
  expect(synced()).toMatchObject({ status: 'True', reason: 'Available' });
  expect(followed().map(({ note }) => note)).toEqual([expect.stringContaining('made at one')]);
  await resource().delete('orders');
  await world.cluster.advance(120_000);
  expect([now(), world.provider.present().length, world.provider.things.length]).toEqual([undefined, 0, 1]);
});

test('where the database is not found nothing is made, changed or deleted, and the object stays', async () => {
  await created();
  await means(otherAccount);
  await follow(otherAccount);
  await resource().patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  await world.cluster.advance(1_800_000);
  expect(synced()?.message).toContain("no database with this object's mark is found");
  await resource().delete('orders');
  await world.cluster.advance(1_800_000);
  expect(Object.keys(world.other.calls)).toEqual(['GET']);
  expect(now()?.status?.phase).toBe('Deleting');
  expect(world.provider.present()).toHaveLength(1);
});

test('an answer with the ID, but without the token that the database was made with, is not believed', async () => {
  await created();
  const owner = now()?.metadata.uid ?? '';
  world.other.things.push({ id: 't1', owner, token: `${owner}-2`, fields: {}, madeAt: 0, readyAt: 0 });
  await means(otherAccount);
  await follow(otherAccount);
  await world.cluster.advance(60_000);
  expect(now()?.status?.external).toMatchObject({ account: 'one' });
});

test('a database that was taken over carries no mark, and is never followed', async () => {
  world.provider.keep({ displayName: 'legacy', size: 'small' });
  await created({ externalName: 'legacy' });
  await means('two');
  await follow('two');
  await world.cluster.advance(60_000);
  expect(synced()?.message).toContain('carries no mark');
});

test('an account where nothing was ever made can be put right', async () => {
  world.other.refused.set('POST', 400);
  await means(otherAccount);
  await resource().create(database('orders', { providerRef: { name: 'account' } }));
  await world.cluster.advance(60_000);
  expect(now()?.status?.phase).toBe('Failed');
  await means('one');
  await world.cluster.run({ until: () => now()?.status?.phase === 'Ready', maxVirtualMs: 600_000 });
  expect(now()?.status).toMatchObject({ phase: 'Ready', external: { account: 'one' } });
});
