import { expect, test } from 'vitest';
import { monitoredStatefulSetMetrics } from '../../src/monitored-stateful-set/index.ts';
import { honest } from '../external/database-world.ts';
import { FakeProvider } from '../external/fake-provider.ts';
import { create, move, reach, registered, remove, until } from '../external/set-steps.ts';
import type { SetWorld } from '../external/set-world.ts';
import { setNow, setWorld } from '../external/set-world.ts';

const urlOf = (index: number): string => `http://monitor-${index}.example`;

/** A set that was registered at sixteen monitors, one after the other, of which no former one removes its entry. */
async function atSixteen(): Promise<{ readonly world: SetWorld; readonly providers: readonly FakeProvider[] }> {
  const world = await setWorld(1, honest);
  const providers = Array.from({ length: 17 }, () => new FakeProvider(world.cluster.clock, honest));
  providers.forEach((provider, index) => world.cluster.external(urlOf(index), provider.handle));
  await create(world, { monitorEndpoint: urlOf(0) });
  await registered(world);
  for (let index = 1; index < 16; index += 1) {
    providers[index - 1]?.refused.set('DELETE', 401);
    await move(world, urlOf(index));
    await reach(world, `an entry at ${urlOf(index)}`, () => entryAt(world, index)?.id !== undefined);
  }
  providers[15]?.refused.set('DELETE', 401);
  return { world, providers };
}

const records = ({ cluster }: SetWorld) => setNow(cluster, 'db')?.status?.registrations ?? [];

const entryAt = (world: SetWorld, index: number) => records(world).find(({ endpoint }) => endpoint === urlOf(index));

const conditionOf = ({ cluster }: SetWorld, type: string) =>
  setNow(cluster, 'db')?.status?.conditions?.find((one) => one.type === type);

const tooMany = 'TooManyFormerMonitors';

test('a seventeenth monitor is not registered at before one of the sixteen is cleaned up, and that is said', async () => {
  const { world, providers } = await atSixteen();
  const { cluster, events, door } = world;
  await move(world, urlOf(16));
  await reach(world, 'the condition', () => conditionOf(world, 'Degraded')?.reason === tooMany);
  await cluster.advance(600_000);
  expect(records(world)).toHaveLength(16);
  for (const [type, status] of [
    ['Degraded', 'True'],
    ['MonitorRegistered', 'False'],
    ['Ready', 'False'],
  ] as const)
    expect(conditionOf(world, type)).toMatchObject({ status, reason: tooMany });
  const { message = '' } = conditionOf(world, 'Degraded') ?? {};
  expect(message).toContain(`stays registered at ${urlOf(15)}`);
  for (let index = 0; index < 15; index += 1) expect(message).toContain(urlOf(index));
  const about = events.filter(({ reason, note }) => reason === 'ProcessingError' && note.includes('may hold an entry'));
  expect(about.filter(({ atMostEveryMs }) => atMostEveryMs === undefined).length).toBeGreaterThan(0);
  const set = setNow(cluster, 'db');
  expect(monitoredStatefulSetMetrics(set ? [set] : [], 0)[0]?.value).toBe(1);
  expect(set?.status?.observedGeneration).toBe(set?.metadata.generation);
  // It keeps to the monitor that it has, and the other one is shown nothing.
  expect(providers.map((provider) => provider.present().length)).toEqual([...Array.from({ length: 16 }, () => 1), 0]);
  expect(door.shown.some(({ endpoint }) => endpoint === urlOf(16))).toBe(false);

  providers[3]?.refused.clear();
  await reach(world, 'the entry at the new monitor', () => entryAt(world, 16)?.id !== undefined);
  expect(entryAt(world, 3)).toBeUndefined();
  await reach(world, 'another condition', () => conditionOf(world, 'Degraded')?.reason !== tooMany);
  for (const provider of providers) provider.refused.clear();
  await until(world, 'one entry', (now) => now?.status?.registrations?.length === 1);
  await registered(world);
  await remove(world);
  expect(providers.flatMap((provider) => provider.present())).toEqual([]);
  cluster.stop();
});

test('a set does not stay registered at a monitor whose entry is that of another owner by now', async () => {
  const { world, providers } = await atSixteen();
  const [thing] = providers[15]?.present() ?? [];
  if (thing === undefined) throw new TypeError('there is no entry at the sixteenth monitor');
  Object.assign(thing, { owner: 'another' });
  await move(world, urlOf(16));
  await reach(world, 'the condition', () => conditionOf(world, 'Degraded')?.reason === tooMany);
  expect(conditionOf(world, 'Degraded')?.message).not.toContain(`stays registered at ${urlOf(15)}`);
  await world.cluster.advance(600_000);
  // No entry of the set is removed that nothing takes the place of.
  expect(providers[15]?.present().map(({ owner }) => owner)).toEqual(['another']);
  world.cluster.stop();
});

test('a set that stands at sixteen goes back to one of them, or is deleted, as ever', async () => {
  const { world, providers } = await atSixteen();
  await move(world, urlOf(16));
  await reach(world, 'the condition', () => conditionOf(world, 'Degraded')?.reason === tooMany);
  await move(world, urlOf(2));
  await reach(world, 'its end', () => conditionOf(world, 'MonitorRegistered')?.status === 'True');
  await move(world, urlOf(16));
  await reach(world, 'the condition', () => conditionOf(world, 'Degraded')?.reason === tooMany);
  for (const provider of providers) provider.refused.clear();
  await remove(world);
  expect(providers.flatMap((provider) => provider.present())).toEqual([]);
  world.cluster.stop();
});

test('while none of the sixteen can be asked nothing is touched, and the one of them that shows nothing any more makes room', async () => {
  const { world, providers } = await atSixteen();
  for (const provider of providers.slice(0, 16)) provider.outage = 503;
  await move(world, urlOf(16));
  await reach(world, 'the condition', () => conditionOf(world, 'Degraded')?.reason === tooMany);
  expect(conditionOf(world, 'Degraded')?.message).toContain(`${urlOf(4)} (Unavailable)`);
  providers[4]?.lose(setNow(world.cluster, 'db')?.metadata.uid ?? '');
  if (providers[4]) providers[4].outage = undefined;
  await reach(world, 'the entry at the new monitor', () => entryAt(world, 16)?.id !== undefined);
  expect(entryAt(world, 4)).toBeUndefined();
  expect(records(world)).toHaveLength(16);
  for (const provider of providers) {
    provider.outage = undefined;
    provider.refused.clear();
  }
  await remove(world);
  expect(providers.flatMap((provider) => provider.present())).toEqual([]);
  world.cluster.stop();
});
