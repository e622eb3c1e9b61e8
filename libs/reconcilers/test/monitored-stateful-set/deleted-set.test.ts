import { conditionOf, pods, statefulSets } from '@ordinal/client';
import { monitoredStatefulSets } from '@ordinal/api';
import { afterEach, expect, test } from 'vitest';
import { isReady } from '../clustered-cache/cache-world.ts';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const worlds: SetWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

const gates = [{ name: 'in-step', target: 'All', http: { path: '/', port: 80 } }] as const;

const sets = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const members = ({ cluster }: SetWorld) =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'db')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const images = (world: SetWorld) => members(world).map(({ spec }) => spec.containers[0]?.image);

const uidOf = (world: SetWorld, name: string) =>
  members(world).find(({ metadata }) => metadata.name === name)?.metadata.uid;

const reaches = async ({ cluster }: SetWorld, until: () => boolean): Promise<boolean> =>
  (await cluster.run({ until, maxVirtualMs: 1_200_000 })) === 'reached';

/** A set of three that is being upgraded: the last one runs the new image, and the gates of the others are closed. `app:3` never gets ready. */
async function upgrading(image: string): Promise<SetWorld> {
  const world = await setWorld(1, honest, { isGated: true });
  worlds.push(world);
  world.cluster.image('app:3', { startsIn: 3_000, ready: false });
  const { spec, ...rest } = monitoredSet('db', {
    upgrade: { gates, progressDeadline: '3m', onFailure: 'Rollback' },
  });
  await sets(world).create({ ...rest, spec: { ...spec, statefulSetSpec: { ...spec.statefulSetSpec, replicas: 3 } } });
  await reaches(world, () => setNow(world.cluster, 'db')?.status?.currentVersion === 'app:1');
  const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image }] } };
  await sets(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: { template } } } });
  await reaches(world, () => images(world).join() === `app:1,app:1,${image}`);
  world.gate.isOpen = false;
  await world.cluster.advance(10_000);
  return world;
}

const remove = (world: SetWorld, propagationPolicy: 'Orphan' | 'Background') =>
  world.cluster.client()(statefulSets).namespace('team').delete('db', { propagationPolicy });

const isBypassed = (world: SetWorld): boolean =>
  conditionOf(setNow(world.cluster, 'db')?.status?.conditions, 'GateBypassed') !== undefined;

const isDone = (world: SetWorld, image: string): boolean =>
  images(world).join() === `${image},${image},${image}` &&
  members(world).every(isReady) &&
  setNow(world.cluster, 'db')?.status?.upgrade === undefined;

test('a StatefulSet that a user deletes in an upgrade, and whose pods stay, is made again: the upgrade goes on, each pod through its gates', async () => {
  const world = await upgrading('app:2');
  const before = ['db-0', 'db-1', 'db-2'].map((name) => uidOf(world, name));
  await remove(world, 'Orphan');
  await world.cluster.advance(60_000);
  expect(['db-0', 'db-1', 'db-2'].map((name) => uidOf(world, name))).toEqual(before);
  expect(setNow(world.cluster, 'db')?.status?.upgrade).toMatchObject({ step: 'AwaitingGate' });
  world.gate.isOpen = true;
  expect(await reaches(world, () => isDone(world, 'app:2'))).toBe(true);
  expect(uidOf(world, 'db-2')).toBe(before[2]);
  expect(isBypassed(world)).toBe(false);
});

test('a StatefulSet that a user deletes in an upgrade together with its pods is made again, of what is wanted', async () => {
  const world = await upgrading('app:2');
  await remove(world, 'Background');
  expect(await reaches(world, () => isDone(world, 'app:2'))).toBe(true);
  expect(setNow(world.cluster, 'db')?.status).toMatchObject({ currentVersion: 'app:2' });
  expect(isBypassed(world)).toBe(false);
});

test.each(['Orphan', 'Background'] as const)(
  'the way back is there after a user has deleted the StatefulSet in an upgrade that fails (%s)',
  async (propagationPolicy) => {
    const world = await upgrading('app:3');
    world.gate.isOpen = true;
    await remove(world, propagationPolicy);
    expect(await reaches(world, () => isDone(world, 'app:1'))).toBe(true);
    expect(setNow(world.cluster, 'db')?.status).toMatchObject({
      currentVersion: 'app:1',
      failure: { reason: 'ProgressDeadlineExceeded' },
    });
    expect(isBypassed(world)).toBe(false);
  },
);
