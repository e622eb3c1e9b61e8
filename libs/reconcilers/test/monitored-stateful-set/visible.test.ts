import { secrets } from '@ordinal/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { monitoredStatefulSetMetrics } from '../../src/monitored-stateful-set/index.ts';
import { honest } from '../external/database-world.ts';
import { create, move, registered, remove, resource, roll, settled, until } from '../external/set-steps.ts';
import type { SetWorld } from '../external/set-world.ts';
import { endpoints, setNow, setWorld } from '../external/set-world.ts';
import { refuse } from '../writes/refuse.ts';

let world: SetWorld;
const minute = 60_000;

const said = (type: string) => setNow(world.cluster, 'db')?.status?.conditions?.find((one) => one.type === type);
const metric = () => {
  const set = setNow(world.cluster, 'db');
  return set && monitoredStatefulSetMetrics([set], 0)[0]?.value;
};
/** The errors that were published, those left out that come again before their time. */
const errors = () => {
  const reported = new Map<string, number>();
  return world.events.filter(({ type, note, at, atMostEveryMs = 0 }) => {
    if (type !== 'Warning' || at < (reported.get(note) ?? -Infinity) + atMostEveryMs) return false;
    reported.set(note, at);
    return true;
  });
};

beforeEach(async () => {
  world = await setWorld(1, honest);
});
afterEach(() => world.cluster.stop());

describe.each([500, 503, 404, 401, 403, 422])('a monitor that answers %i', (status) => {
  test('to a registration: status, event and metric say so for as long as it lasts, and no longer', async () => {
    world.providers[0].refused.set('POST', status);
    await create(world);
    await world.cluster.advance(minute);
    expect(said('MonitorRegistered')).toMatchObject({ status: 'False', reason: 'RegistrationFailed' });
    expect(said('MonitorRegistered')?.message).toContain(`HTTP ${status}`);
    expect(said('Degraded')).toMatchObject({ status: 'True', reason: 'RegistrationFailed' });
    expect([said('Ready')?.status, setNow(world.cluster, 'db')?.status?.phase, metric()]).toEqual([
      'False',
      'Failed',
      1,
    ]);
    expect(errors()).toMatchObject([{ reason: 'ProcessingError', note: said('Degraded')?.message }]);
    const since = said('Degraded')?.lastTransitionTime;
    await world.cluster.advance(3 * 60 * minute);
    expect(said('Degraded')?.lastTransitionTime).toBe(since);
    expect(errors().length).toBeGreaterThanOrEqual(6);
    expect(errors().length).toBeLessThanOrEqual(8);
    world.providers[0].refused.clear();
    await settled(world);
    await world.cluster.advance(5_000);
    expect([said('Degraded')?.status, metric()]).toEqual(['False', 0]);
    expect(world.events.filter(({ reason }) => reason === 'RegistrationSuccessful')).toHaveLength(1);
    await remove(world);
  });

  test('to everything, after the registration: it stands, and what is wrong is said', async () => {
    await create(world);
    await settled(world);
    world.providers[0].outage = status;
    await world.cluster.advance(12 * minute);
    expect(said('MonitorRegistered')?.status).toBe('True');
    expect([said('Degraded')?.status, metric()]).toEqual(['True', 1]);
    expect([said('Degraded')?.reason, said('Ready')?.status]).toEqual(['MonitorUnreachable', 'True']);
    expect(errors().length).toBeGreaterThanOrEqual(1);
    world.providers[0].outage = undefined;
    await world.cluster.advance(40 * minute);
    expect([said('Degraded')?.status, metric(), said('Ready')?.status]).toEqual(['False', 0, 'True']);
  });

  test('to a clean-up: the same, and the condition of the registration is not what it was', async () => {
    await create(world);
    await settled(world);
    world.providers[0].refused.set('DELETE', status === 404 ? 409 : status);
    await resource(world).delete('db');
    await world.cluster.advance(minute);
    expect(said('Degraded')).toMatchObject({ status: 'True', reason: 'CleanupFailed' });
    expect(said('Ready')).toMatchObject({ status: 'False', reason: 'CleanupFailed' });
    expect(said('MonitorRegistered')).toMatchObject({ status: 'False', reason: 'Decommissioning' });
    expect(said('MonitorRegistered')?.message).not.toContain('as wanted');
    expect([errors().length, metric()]).toEqual([1, 1]);
    const since = said('Degraded')?.lastTransitionTime;
    await world.cluster.advance(3 * 60 * minute);
    expect(said('Degraded')?.lastTransitionTime).toBe(since);
    expect(errors().length).toBeGreaterThanOrEqual(6);
    world.providers[0].refused.clear();
    await until(world, 'the end', (set) => set === undefined);
  });
});

test('a former monitor that does not take a deletion is said, for as long as it lasts', async () => {
  await create(world);
  await settled(world);
  world.providers[0].refused.set('DELETE', 500);
  await move(world, endpoints[1]);
  await world.cluster.advance(2 * minute);
  expect(said('Degraded')).toMatchObject({ status: 'True', reason: 'FormerMonitorUnreachable' });
  expect([said('Ready')?.status, metric(), errors().length]).toEqual(['True', 1, 1]);
  const since = said('Degraded')?.lastTransitionTime;
  await world.cluster.advance(20 * minute);
  expect(said('Degraded')?.lastTransitionTime).toBe(since);
  world.providers[0].refused.clear();
  await until(world, 'the end of the migration', (set) => set?.status?.registrations?.length === 1);
  await world.cluster.advance(minute);
  expect(metric()).toBe(0);
});

test('a call that succeeds at one monitor does not hide that a former one can not be asked', async () => {
  await create(world);
  await settled(world);
  world.providers[0].outage = 503;
  await move(world, endpoints[1]);
  await world.cluster.advance(2 * minute);
  world.cluster.image('app:2', { startsIn: 30_000 });
  await roll(world, 'app:2');
  await world.cluster.advance(5_000);
  const mutes = world.providers[1].calls['PATCH'];
  expect(mutes).toBe(1);
  world.providers[1].outage = 503;
  await world.cluster.advance(10 * minute);
  expect(said('Degraded')?.reason).toBe('MonitorUnreachable');
  world.providers[1].outage = undefined;
  for (let second = 0; second < 1_200; second++) {
    await world.cluster.advance(1_000);
    expect(said('Degraded')?.status, `${second} s after it`).toBe('True');
  }
  expect([world.providers[1].calls['PATCH'], said('Degraded')?.reason]).toEqual([2, 'FormerMonitorUnreachable']);
});

test('a monitor that does not mute is said, for as long as it lasts', async () => {
  await create(world);
  await settled(world);
  await world.cluster.advance(minute);
  world.providers[0].refused.set('PATCH', 500);
  world.cluster.image('app:2', { startsIn: 600_000 });
  await roll(world, 'app:2');
  await world.cluster.advance(2 * minute);
  expect(said('Degraded')).toMatchObject({ status: 'True', reason: 'MonitorUnreachable' });
  expect(errors()).toHaveLength(1);
});

test('a first registration is reported by an event, and once', async () => {
  await create(world);
  await settled(world);
  await world.cluster.advance(5_000);
  const news = world.events.filter(({ reason }) => reason === 'RegistrationSuccessful');
  expect(news).toMatchObject([{ type: 'Normal', note: `registered at ${endpoints[0]} as t1` }]);
});

test('credentials that are not protected yet are no error, unless that lasts', async () => {
  const data = { token: btoa('x') };
  for (const name of ['token', 'late'])
    await world.cluster
      .client()(secrets)
      .namespace('team')
      .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'team' }, data });
  let isLate = false;
  world.operator.hook({
    before: ({ kind, target }) =>
      isLate && kind === 'write' && target.includes('/secrets/') ? { lose: true } : undefined,
  });
  await create(world, { credentialsSecretRef: { name: 'token' } });
  await registered(world);
  expect(errors()).toEqual([]);
  await remove(world);
  isLate = true;
  await create(world, { credentialsSecretRef: { name: 'late' } });
  await world.cluster.advance(30_000);
  expect([said('MonitorRegistered')?.reason, errors()]).toEqual(['ProtectingCredentials', []]);
  await world.cluster.advance(3 * minute);
  expect([said('Degraded')?.status, errors().length]).toEqual(['True', 1]);
});

test('a StatefulSet that the API server refuses is said in status, event and metric, until it is taken', async () => {
  await create(world);
  await settled(world);
  const allow = refuse(
    world.cluster,
    ({ verb, resource: { plural } }) => plural === 'statefulsets' && verb === 'apply',
  );
  await roll(world, 'app:2');
  await world.cluster.advance(minute);
  expect(said('Degraded')).toMatchObject({ status: 'True', reason: 'Refused' });
  expect([metric(), errors().map(({ reason }) => reason)]).toEqual([1, ['ProcessingError']]);
  allow();
  await world.cluster.advance(30 * minute);
  expect([said('Degraded')?.status, metric()]).toEqual(['False', 0]);
});
