import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabaseInput } from '@ordinal/api';
import { afterEach, expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest, shifty } from '../external/database-world.ts';

let world: DatabaseWorld;
const minute = 60_000;

const resource = () => world.cluster.client()(cloudDatabases).namespace('default');
const now = () => databaseNow(world.cluster, 'orders');

/** The events in their order, those left out that are published again because something lasts. */
const newEvents = () =>
  world.events
    .filter(({ atMostEveryMs }) => atMostEveryMs === undefined)
    .map(({ type, reason }) => `${type} ${reason}`);

const create = (spec: Partial<CloudDatabaseInput['spec']> = {}, name = 'orders') =>
  resource().create(database(name, spec));

async function ready(): Promise<void> {
  await create();
  await world.cluster.run({ until: () => now()?.status?.phase === 'Ready', maxVirtualMs: 10 * minute });
  // Its creation is so long ago that it must show.
  await world.cluster.advance(minute);
}

async function remove(): Promise<void> {
  await resource().delete('orders');
  await world.cluster.run({ until: () => now() === undefined, maxVirtualMs: 10 * minute });
  await world.cluster.advance(minute);
}

afterEach(() => world.cluster.stop());

test('a database that vanishes is an event, and so is that it was made again; and the end of it all', async () => {
  world = await databaseWorld(1, honest);
  await ready();
  world.provider.lose(now()?.metadata.uid ?? '');
  await world.cluster.advance(60 * minute);
  expect(now()?.status).toMatchObject({ phase: 'Ready', external: { id: 't2', incarnation: 2 } });
  await remove();
  expect(newEvents()).toEqual([
    'Normal Available',
    'Warning Vanished',
    'Warning Recreated',
    'Normal Available',
    'Normal Gone',
  ]);
  expect(world.events.at(-1)).toMatchObject({ regarding: { kind: 'CloudDatabase', metadata: { name: 'orders' } } });
});

test('that a database stays when its object goes is an event', async () => {
  world = await databaseWorld(1, honest);
  await ready();
  await resource().patch('orders', { type: 'merge', body: { spec: { deletionPolicy: 'Retain' } } });
  await world.cluster.advance(minute);
  await remove();
  expect(world.provider.present()).toHaveLength(1);
  expect(newEvents()).toEqual(['Normal Available', 'Normal Retained']);
});

test('a second database with the mark of the same object is an event', async () => {
  world = await databaseWorld(1, shifty);
  await ready();
  const [first] = world.provider.things;
  if (first === undefined) throw new Error('nothing was made');
  world.provider.things.push({ ...first, id: 't2', madeAt: world.cluster.clock.now() });
  await world.cluster.advance(120 * minute);
  // This provider denies what it has just made.
  expect(newEvents()).toEqual(['Warning Vanished', 'Normal Available', 'Warning Ambiguous']);
});

test('a database that has failed at the provider is an event, and so is that it is well again', async () => {
  world = await databaseWorld(1, honest);
  await ready();
  const [thing] = world.provider.things;
  if (thing === undefined) throw new Error('nothing was made');
  thing.isBroken = true;
  await world.cluster.advance(120 * minute);
  thing.isBroken = false;
  await world.cluster.advance(60 * minute);
  expect(newEvents()).toEqual(['Normal Available', 'Warning Failed', 'Normal Available']);
});

/** What is published in three hours of a database with this spec: each event that is new, and how often it was repeated. */
async function eventsOf(spec: Partial<CloudDatabaseInput['spec']>): Promise<readonly [string[], number]> {
  world = await databaseWorld(1, honest);
  await create(spec);
  await world.cluster.advance(180 * minute);
  const kinds = new Set(world.events.map(({ type, reason }) => `${type} ${reason}`));
  return [newEvents(), kinds.size === 1 ? world.events.length : NaN];
}

test('an import that is not there is an event, at once and again for as long as it lasts', async () => {
  const [events, times] = await eventsOf({ externalName: 'legacy' });
  expect(events).toEqual(['Warning ImportNotFound']);
  expect(times).toBeGreaterThanOrEqual(6);
});

test('a spec that makes no sense is an event, at once and again for as long as it lasts', async () => {
  const [events, times] = await eventsOf({ providerRef: { name: 'orders-connection' } });
  expect(events).toEqual(['Warning InvalidSpec']);
  expect(times).toBeGreaterThanOrEqual(6);
});

test('a database that another object has taken over before is an event of the second one', async () => {
  world = await databaseWorld(1, honest);
  world.provider.keep({ displayName: 'legacy', size: 'small' });
  await create({ externalName: 'legacy' }, 'first');
  await world.cluster.advance(minute);
  await create({ externalName: 'legacy' });
  await world.cluster.advance(60 * minute);
  expect(newEvents()).toEqual(['Normal Available', 'Warning OwnedByAnother']);
  expect(world.events.at(-1)).toMatchObject({ regarding: { metadata: { name: 'orders' } } });
});
