import { afterEach, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
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

test('an entry that the former URL of a service does not show for a while is not removed there, when the new one shows it', async () => {
  const scenario = setScenarios.find(({ name }) => name === 'moved to another URL of its monitor and back, deleted');
  if (scenario === undefined) throw new Error('the scenario is gone');
  // The service shows nothing from the first look at the former URL on, and the operator pauses before it looks by the owner.
  const faults = [
    { kind: 'external', number: 4, when: 'before', effect: 'deny' },
    { kind: 'external', number: 5, when: 'before', effect: 'pause' },
  ] as const;
  const { violations, fired } = await runSetHistory({ scenario, profile: 'honest', faults, seed: 1380308757 });
  expect(fired.map(({ fault }) => fault)).toEqual(faults);
  expect(violations).toEqual([]);
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
