import { afterEach, beforeEach, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { create, remove, resource, settled } from '../external/set-steps.ts';
import type { SetWorld } from '../external/set-world.ts';
import { setNow, setWorld } from '../external/set-world.ts';

let world: SetWorld;
const minute = 60_000;

const events = () => world.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

beforeEach(async () => {
  world = await setWorld(1, honest);
  await create(world);
  await settled(world);
  await world.cluster.advance(minute);
});
afterEach(() => world.cluster.stop());

/** Deletes the set, and lets pass what is published when it is gone. */
async function ended(): Promise<void> {
  await remove(world);
  await world.cluster.advance(minute);
}

const registered = 'Normal RegistrationSuccessful: registered at http://monitor-a.example as t1';

test('a registration that has vanished and is made again is one event, and so is the end', async () => {
  world.providers[0].lose(setNow(world.cluster, 'db')?.metadata.uid ?? '');
  await world.cluster.advance(60 * minute);
  expect(setNow(world.cluster, 'db')?.status?.externalMonitorID).toBe('t2');
  await ended();
  expect(events()).toEqual([
    registered,
    'Warning Reregistered: the registration t1 at http://monitor-a.example had vanished',
    expect.stringMatching('Normal RegistrationSuccessful'),
    'Normal CleanedUp: nothing is registered any more',
  ]);
});

test('a registration that stays by policy is one event at the end of the set', async () => {
  await resource(world).patch('db', { type: 'merge', body: { spec: { deletionPolicy: 'Retain' } } });
  await ended();
  expect(events()).toEqual([registered, 'Normal CleanedUp: the registration stays, as the policy says']);
});
