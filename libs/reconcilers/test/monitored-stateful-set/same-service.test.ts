import { afterEach, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { create, move, registered, remove, until } from '../external/set-steps.ts';
import type { SetWorld } from '../external/set-world.ts';
import { alias, endpoints, setNow, setWorld } from '../external/set-world.ts';

let world: SetWorld;

const records = () => setNow(world.cluster, 'db')?.status?.registrations ?? [];

afterEach(() => world.cluster.stop());

test('another URL of the same service shows the entry that there is: it is kept, and the former URL is forgotten', async () => {
  world = await setWorld(1, honest);
  await create(world);
  await registered(world);
  const verbs: string[] = [];
  world.providers[0].watch(({ verb }) => verbs.push(verb));
  await move(world, alias);
  await until(
    world,
    'the end of the migration',
    () =>
      records()
        .map(({ endpoint }) => endpoint)
        .join() === alias,
  );
  await world.cluster.advance(600_000);
  expect(verbs.filter((verb) => verb !== 'update')).toEqual([]);
  expect(records()).toMatchObject([{ endpoint: alias, id: 't1' }]);
  expect(world.events.filter(({ reason }) => reason === 'FormerMonitorForgotten')).toHaveLength(1);
  await move(world, endpoints[0]);
  await world.cluster.advance(600_000);
  expect(verbs.filter((verb) => verb !== 'update')).toEqual([]);
  expect(records()).toMatchObject([{ endpoint: endpoints[0], id: 't1' }]);
  await remove(world);
  expect(world.providers[0].present()).toEqual([]);
});

test('an entry of the same ID at another service is another one: the former one is removed', async () => {
  world = await setWorld(1, honest);
  await create(world);
  await registered(world);
  await move(world, endpoints[1]);
  await until(world, 'the end of the migration', () => records().length === 1 && records()[0]?.id === 't1');
  await world.cluster.advance(600_000);
  expect(world.providers.map((provider) => provider.present().map(({ id }) => id))).toEqual([[], ['t1']]);
  await remove(world);
});
