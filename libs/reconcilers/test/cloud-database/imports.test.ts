import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabaseInput } from '@ordinal/api';
import { expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

const imported = (deletionPolicy: 'Delete' | 'Retain' = 'Delete'): Partial<CloudDatabaseInput['spec']> => ({
  externalName: 'legacy',
  deletionPolicy,
});

const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');

const reasonOf = ({ cluster }: DatabaseWorld, name: string): string | undefined =>
  databaseNow(cluster, name)?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason;

async function reach(world: DatabaseWorld, name: string, reason: string): Promise<void> {
  await world.cluster.run({ until: () => reasonOf(world, name) === reason, maxVirtualMs: 1_200_000 });
  expect(reasonOf(world, name)).toBe(reason);
}

async function gone(world: DatabaseWorld, name: string): Promise<void> {
  await resource(world).delete(name);
  await world.cluster.run({ until: () => databaseNow(world.cluster, name) === undefined, maxVirtualMs: 600_000 });
  expect(databaseNow(world.cluster, name)).toBeUndefined();
}

test('a database that another object has taken over is neither changed nor deleted by a second one, which takes over when the first is gone', async () => {
  const world = await databaseWorld(1, honest);
  const legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
  await resource(world).create(database('first', imported('Retain')));
  await reach(world, 'first', 'Available');
  await resource(world).create(database('second', { ...imported(), size: 'large' }));
  await resource(world).create(database('third', imported()));
  await reach(world, 'second', 'OwnedByAnother');
  await reach(world, 'third', 'OwnedByAnother');
  await gone(world, 'third');
  expect(world.provider.present()).toEqual([legacy]);
  expect(legacy.fields['size']).toBe('small');
  await gone(world, 'first');
  await reach(world, 'second', 'Available');
  expect(legacy.fields['size']).toBe('large');
  await gone(world, 'second');
  expect(world.provider.present()).toEqual([]);
  world.cluster.stop();
});

test.each([1, 2, 3, 4, 5, 6])(
  'of two objects that take a database over at the same moment only the older one does anything with it (seed %i)',
  async (seed) => {
    const world = await databaseWorld(seed, honest);
    const legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
    const sizes: unknown[] = [];
    world.provider.watch(({ verb, thing }) => void (verb === 'update' && sizes.push(thing.fields['size'])));
    await Promise.all([
      resource(world).create(database('first', { ...imported(), size: 'large' })),
      resource(world).create(database('second', { ...imported(), size: 'medium' })),
    ]);
    await world.cluster.advance(900_000);
    const reasons = ['first', 'second'].map((name) => reasonOf(world, name));
    expect(reasons.toSorted()).toEqual(['Available', 'OwnedByAnother']);
    expect(new Set(sizes).size).toBe(1);
    const [loser, winner] = reasons[0] === 'Available' ? ['second', 'first'] : ['first', 'second'];
    await gone(world, loser);
    expect(world.provider.present()).toEqual([legacy]);
    await gone(world, winner);
    expect(world.provider.present()).toEqual([]);
    world.cluster.stop();
  },
);

test('who has been there for longer takes nothing over that another one has taken over before', async () => {
  const world = await databaseWorld(1, honest);
  const legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
  const paused = database('first', { ...imported(), size: 'large' });
  const annotations = { 'ordinal.dev/paused': 'true' };
  await resource(world).create({ ...paused, metadata: { ...paused.metadata, annotations } });
  await world.cluster.advance(5_000);
  await resource(world).create(database('second', imported()));
  await reach(world, 'second', 'Available');
  await resource(world).patch('first', { type: 'merge', body: { metadata: { annotations: null } } });
  await reach(world, 'first', 'OwnedByAnother');
  await world.cluster.advance(1_300_000);
  expect(reasonOf(world, 'first')).toBe('OwnedByAnother');
  expect(reasonOf(world, 'second')).toBe('Available');
  expect(legacy.fields['size']).toBe('small');
  world.cluster.stop();
});
