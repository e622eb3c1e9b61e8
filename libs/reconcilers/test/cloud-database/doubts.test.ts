import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest, shifty } from '../external/database-world.ts';

const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');
const now = ({ cluster }: DatabaseWorld) => databaseNow(cluster, 'orders');

async function ready(world: DatabaseWorld): Promise<void> {
  await resource(world).create(database('orders'));
  await world.cluster.run({ until: () => now(world)?.status?.phase === 'Ready', maxVirtualMs: 120_000 });
  expect(now(world)?.status?.phase).toBe('Ready');
  // Its creation is so long ago that it must show.
  await world.cluster.advance(60_000);
}

/** Deletes, and lets time pass until the object is gone: then nothing may be left. */
async function nothingIsLeft(world: DatabaseWorld): Promise<void> {
  await world.cluster.run({ until: () => now(world) === undefined, maxVirtualMs: 600_000 });
  expect(now(world)).toBeUndefined();
  expect(world.provider.present()).toEqual([]);
  world.cluster.stop();
}

const wake = async (world: DatabaseWorld): Promise<void> => {
  const annotations = { 'ordinal.dev/reconcile-requested-at': String(world.cluster.clock.now()) };
  await resource(world).patch('orders', { type: 'merge', body: { metadata: { annotations } } });
};

test('a provider that denies a database for a moment is not believed in a deletion, however often it is asked meanwhile', async () => {
  const world = await databaseWorld(1, honest);
  await ready(world);
  world.provider.deny();
  await resource(world).delete('orders');
  for (let second = 0; second < 7; second += 1) {
    await world.cluster.advance(1_000);
    await wake(world);
  }
  await nothingIsLeft(world);
});

test('what a look has shown is not taken for what is there when the process, which stood still, goes on', async () => {
  const world = await databaseWorld(1, honest);
  await ready(world);
  world.provider.deny();
  await resource(world).delete('orders');
  await world.cluster.advance(2_000);
  const release = world.operator.hook({
    after: ({ kind, target }) => {
      if (kind !== 'external' || !target.includes('owner=')) return undefined;
      world.operator.pause(25_000);
      release();
      return undefined;
    },
  });
  await wake(world);
  await nothingIsLeft(world);
});

test('a clock that is set forward does not end a deletion before the creation that was under way must have shown', async () => {
  const world = await databaseWorld(1, shifty);
  const release = world.operator.hook({
    after: ({ method }) => {
      if (method !== 'POST') return undefined;
      release();
      world.operator.skewClock(3_600_000);
      return { lose: true };
    },
  });
  await resource(world).create(database('orders'));
  await world.cluster.run({ until: () => world.provider.things.length > 0, maxVirtualMs: 60_000 });
  await resource(world).delete('orders');
  await nothingIsLeft(world);
});

test('a second database that shows late is reported, and both are deleted with the object', async () => {
  const world = await databaseWorld(1, shifty);
  await ready(world);
  const [first] = world.provider.things;
  if (first === undefined) throw new Error('nothing was made');
  const twin = { ...first, id: 't2', madeAt: world.cluster.clock.now() };
  world.provider.things.push(twin);
  const reason = (): string | undefined =>
    now(world)?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
  await world.cluster.run({ until: () => reason() === 'Ambiguous', maxVirtualMs: 1_200_000 });
  expect(reason()).toBe('Ambiguous');
  await resource(world).delete('orders');
  await nothingIsLeft(world);
});

test('of two databases of one token, the one that a person leaves is given the password that applications read', async () => {
  const world = await databaseWorld(1, shifty);
  await ready(world);
  const [first] = world.provider.things;
  if (first === undefined) throw new Error('nothing was made');
  const fields = { ...first.fields, password: 'another one' };
  world.provider.things.push({ ...first, id: 't2', fields, madeAt: world.cluster.clock.now() });
  const reason = (): string | undefined =>
    now(world)?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
  await world.cluster.run({ until: () => reason() === 'Ambiguous', maxVirtualMs: 1_200_000 });
  first.goneAt = world.cluster.clock.now();
  await world.cluster.run({ until: () => reason() === 'Available', maxVirtualMs: 1_200_000 });
  expect(now(world)?.status?.instanceId).toBe('t2');
  const { data } = await world.cluster.client()(secrets).namespace('default').get('orders-connection');
  expect(world.provider.present().map(({ fields: { password } }) => password)).toEqual([
    atob(data?.['password'] ?? ''),
  ]);
  await resource(world).delete('orders');
  await nothingIsLeft(world);
});

test('a creation that the provider refuses is Failed, and nothing is in the way of the deletion', async () => {
  const world = await databaseWorld(1, honest);
  world.operator.hook({
    before: ({ method, kind }) => (kind === 'external' && method === 'POST' ? { status: 400 } : undefined),
  });
  await resource(world).create(database('orders'));
  await world.cluster.run({ until: () => now(world)?.status?.phase === 'Failed', maxVirtualMs: 120_000 });
  expect(now(world)?.status?.phase).toBe('Failed');
  expect(now(world)?.status?.conditions?.find(({ type }) => type === 'Synced')).toMatchObject({
    status: 'False',
    reason: 'CallFailed',
    message: expect.stringContaining('Refused') as string,
  });
  world.provider.outage = 503;
  await resource(world).delete('orders');
  await nothingIsLeft(world);
});
