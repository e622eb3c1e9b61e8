import { monitoredStatefulSets } from '@ordinal/api';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const resource = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');
const statusNow = ({ cluster }: SetWorld) => setNow(cluster, 'db')?.status;
const command = 'kubectl annotate -n team mss db ordinal.dev/retry="$(date +%s)" --overwrite';

const conditionNow = (world: SetWorld, type: string) =>
  statusNow(world)?.conditions?.find((condition) => condition.type === type);

test('a clean-up Job that has failed is counted once for each failure, and run again at once when a user asks', async () => {
  const world = await setWorld(1, honest);
  const { cluster, operator, cleanup, failures } = world;
  await resource(world).create(monitoredSet('db', { cleanup: 'Job', cleanupJob: { image: 'cleanup:1' } }));
  const attempts = () => statusNow(world)?.cleanupTask?.attempts ?? 0;
  await cluster.run({ until: () => conditionNow(world, 'Ready')?.status === 'True', maxVirtualMs: 900_000 });
  cleanup.isBroken = true;
  await resource(world).delete('db');
  await cluster.run({ until: () => attempts() === 1, maxVirtualMs: 3_600_000 });
  await cluster.advance(1_000);
  operator.restart(1_000);
  await cluster.advance(10_000);
  expect([attempts(), failures]).toEqual([1, ['CleanupJobFailed']]);
  expect(conditionNow(world, 'Degraded')?.message).toContain(command);
  // From then on the pauses are long.
  await cluster.run({ until: () => attempts() === 5, maxVirtualMs: 36_000_000 });
  await cluster.advance(1_000);
  expect(failures).toHaveLength(5);
  cleanup.isBroken = false;
  await resource(world).patch('db', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/retry': '1' } } },
  });
  await cluster.advance(120_000);
  expect(setNow(cluster, 'db')).toBeUndefined();
  expect(world.events.filter(({ reason }) => reason === 'RetryRequested')).toHaveLength(1);
  cluster.stop();
});

test('a registration that the monitor refuses is tried again at once when a user asks', async () => {
  const world = await setWorld(1, honest);
  const { cluster, providers } = world;
  providers[0].refused.set('POST', 400);
  await resource(world).create(monitoredSet('db'));
  await cluster.advance(60_000);
  expect(conditionNow(world, 'MonitorRegistered')).toMatchObject({ status: 'False', reason: 'RegistrationFailed' });
  expect(conditionNow(world, 'MonitorRegistered')?.message).toContain(command);
  providers[0].refused.clear();
  await resource(world).patch('db', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/retry': '1' } } },
  });
  await cluster.advance(60_000);
  expect(conditionNow(world, 'MonitorRegistered')).toMatchObject({ status: 'True' });
  expect(statusNow(world)?.retryToken).toBe('1');
  cluster.stop();
});
