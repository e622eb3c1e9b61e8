import { afterEach, describe, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { create, move, registered, remove, resource, until } from '../external/set-steps.ts';
import type { SetWorld } from '../external/set-world.ts';
import { alias, endpoints, setNow, setWorld } from '../external/set-world.ts';

let world: SetWorld;

const prompt = { ...honest, deleteMs: 0 };
const records = () => setNow(world.cluster, 'db')?.status?.registrations ?? [];
const said = (type: string) => setNow(world.cluster, 'db')?.status?.conditions?.find((one) => one.type === type);
const calls = (method: string) => world.providers[0].calls[method] ?? 0;

/** A world whose monitors answer nothing but POST and DELETE. */
async function blind(status: number, profile = prompt): Promise<void> {
  world = await setWorld(1, profile);
  for (const provider of world.providers) provider.refused.set('GET', status).set('PATCH', status);
}

afterEach(() => world.cluster.stop());

describe.each([404, 405, 501])('a monitor with POST and DELETE only, which answers %i to the rest', (status) => {
  test('is registered at, which is said to be at least once, and is left behind without an entry', async () => {
    await blind(status);
    await create(world);
    await registered(world);
    await world.cluster.advance(60_000);
    expect(said('MonitorRegistered')).toMatchObject({ status: 'True', reason: 'RegistrationSuccessful' });
    expect(said('MonitorRegistered')?.message).toContain('at least once');
    expect(said('Ready')?.status).toBe('True');
    expect(records()).toMatchObject([{ id: 't1', lookUpMissingAt: expect.any(String) as string }]);
    await remove(world);
    expect([world.providers[0].present(), calls('POST'), calls('DELETE')]).toEqual([[], 1, 1]);
  });
});

test('it is asked now and then whether it has look-ups by now, and they are used then', async () => {
  await blind(405);
  await create(world);
  await registered(world);
  const asked = calls('GET');
  await world.cluster.advance(5 * 3_600_000);
  expect(calls('GET')).toBe(asked);
  world.providers[0].refused.clear();
  await world.cluster.advance(2 * 3_600_000);
  expect(calls('GET')).toBeGreaterThan(asked);
  expect(records()[0]).not.toHaveProperty('lookUpMissingAt');
  expect(said('MonitorRegistered')?.message).toBe('the registration t1 is as wanted');
  expect(calls('POST')).toBe(1);
});

test('a look-up that is missing for once does not end the search for what was seen there', async () => {
  world = await setWorld(1, prompt);
  await create(world);
  await registered(world);
  world.providers[0].outage = 404;
  await resource(world).delete('db');
  await world.cluster.advance(600_000);
  expect(setNow(world.cluster, 'db')).toBeDefined();
  world.providers[0].outage = undefined;
  await until(world, 'the end', (set) => set === undefined);
  expect(world.providers[0].present()).toEqual([]);
});

test('the process ends between the reply and its writing: the same key gives the same entry', async () => {
  await blind(405);
  let isFirst = true;
  world.operator.hook({
    after: ({ method }) => {
      if (method !== 'POST' || !isFirst) return undefined;
      isFirst = false;
      world.operator.restart(1_000);
      return { crash: true };
    },
  });
  await create(world);
  await registered(world);
  expect([world.providers[0].things.length, calls('POST')]).toEqual([1, 2]);
  await remove(world);
  expect(world.providers[0].present()).toEqual([]);
});

test('deleted before the reply was written down: the key tells which entry is to be removed', async () => {
  await blind(405);
  const release = world.operator.hook({ after: ({ method }) => (method === 'POST' ? { lose: true } : undefined) });
  await create(world);
  await until(world, 'a registration', () => world.providers[0].things.length === 1);
  await resource(world).delete('db');
  await world.cluster.advance(10_000);
  expect(setNow(world.cluster, 'db')).toBeDefined();
  release();
  await until(world, 'the end', (set) => set === undefined);
  expect([world.providers[0].things.length, world.providers[0].present()]).toEqual([1, []]);
});

test('two such monitors with one ID: both are kept until the set goes, and then removed at both', async () => {
  await blind(405);
  await create(world);
  await registered(world);
  await move(world, endpoints[1]);
  await until(world, 'both', () => records().filter(({ id }) => id === 't1').length === 2);
  await world.cluster.advance(600_000);
  expect([calls('DELETE'), setNow(world.cluster, 'db')?.status?.phase]).toEqual([0, 'Registered']);
  await remove(world);
  expect(world.providers.map((provider) => provider.present())).toEqual([[], []]);
});

test('another URL of such a monitor, which makes another entry for another key: the former one is removed', async () => {
  await blind(405);
  await create(world);
  await registered(world);
  await move(world, alias);
  await until(world, 'the end of the migration', () => records().length === 1 && records()[0]?.id === 't2');
  expect(world.providers[0].present().map(({ id }) => id)).toEqual(['t2']);
  await move(world, endpoints[0]);
  await until(world, 'the way back', () => records().length === 1 && records()[0]?.endpoint === endpoints[0]);
  await remove(world);
  expect(world.providers[0].present()).toEqual([]);
});
