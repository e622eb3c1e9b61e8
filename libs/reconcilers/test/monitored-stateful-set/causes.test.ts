import { monitoredStatefulSets } from '@ordinal/api';
import { pods } from '@ordinal/client';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

// What follows is of sets whose pods Kubernetes replaces: there is no `spec.upgrade`.

const resource = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const messageNow = ({ cluster }: SetWorld): string | undefined =>
  setNow(cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'Progressing')?.message;

/** A set of three of which all are ready. */
async function threeReady(): Promise<SetWorld> {
  const world = await setWorld(1, honest);
  const { statefulSetSpec } = monitoredSet('db').spec;
  await resource(world).create(monitoredSet('db', { statefulSetSpec: { ...statefulSetSpec, replicas: 3 } }));
  await world.cluster.run({ until: () => messageNow(world) === '3 of 3 members are ready', maxVirtualMs: 900_000 });
  expect(messageNow(world)).toBe('3 of 3 members are ready');
  return world;
}

const change = (world: SetWorld, statefulSetSpec: object) =>
  resource(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec } } });

test('a set that shrinks says how many members there are, and how many are wanted', async () => {
  const world = await threeReady();
  await change(world, { replicas: 1 });
  const said = new Set<string | undefined>();
  const note = () => said.add(messageNow(world)) && messageNow(world) === '1 of 1 members are ready';
  await world.cluster.run({ until: note, maxVirtualMs: 60_000 });
  expect(said).toContain('3 of 3 members are ready, 1 is wanted');
  expect(messageNow(world)).toBe('1 of 1 members are ready');
  world.cluster.stop();
});

test('a set says why a member does not get ready, for as long as that is so', async () => {
  const world = await threeReady();
  world.cluster.image('app:none', { pull: 'fail' });
  await change(world, { template: { spec: { containers: [{ name: 'app', image: 'app:none' }] } } });
  await world.cluster.advance(1_200_000);
  expect(messageNow(world)).toMatch(
    /^2 of 3 members are ready; db-2 is not ready: container app can’t pull its image “app:none” \(ImagePullBackOff\)/,
  );
  const ready = setNow(world.cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'False', message: messageNow(world) });
  const { resourceVersion } = setNow(world.cluster, 'db')?.metadata ?? {};
  await world.cluster.advance(600_000);
  expect(setNow(world.cluster, 'db')?.metadata.resourceVersion).toBe(resourceVersion);
  await change(world, { template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } });
  await world.cluster.advance(1_000);
  // As at a real StatefulSet: the broken pod has to go for the one before to come back.
  await world.cluster.client()(pods).namespace('team').delete('db-2');
  await world.cluster.run({ until: () => messageNow(world) === '3 of 3 members are ready', maxVirtualMs: 900_000 });
  expect(messageNow(world)).toBe('3 of 3 members are ready');
  world.cluster.stop();
});
