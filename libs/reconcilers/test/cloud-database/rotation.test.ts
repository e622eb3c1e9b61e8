import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { afterEach, expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

let world: DatabaseWorld;
const minute = 60_000;

const resource = () => world.cluster.client()(cloudDatabases).namespace('default');
const now = () => databaseNow(world.cluster, 'orders');
const secretNow = () => world.cluster.objects.find(secrets, 'default', 'orders-connection');
const usernameNow = () => atob(secretNow()?.data?.['username'] ?? '');
const conditionNow = () => now()?.status?.conditions?.find(({ type }) => type === 'RotationOnSchedule');

const eventReasons = () => world.events.map(({ reason }) => reason);

const until = async (holds: () => boolean): Promise<void> => {
  expect(await world.cluster.run({ until: holds, maxVirtualMs: 60 * minute })).toBe('reached');
};

async function ready(spec: Parameters<typeof database>[1], keepsTwoLogins = true): Promise<void> {
  world = await databaseWorld(1, honest);
  world.provider.keepsTwoLogins = keepsTwoLogins;
  await resource().create(database('orders', spec));
  await until(() => now()?.status?.phase === 'Ready');
}

const rotate = (value: string) =>
  resource().patch('orders', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/rotate': value } } },
  });

afterEach(() => world.cluster.stop());

test('a rotation is in the status and in events, and each value of the annotation asks for one', async () => {
  await ready({ rotation: { every: '720h', overlap: '5m' } });
  expect(conditionNow()).toMatchObject({ status: 'True', reason: 'OnSchedule' });
  await rotate('a');
  await until(() => usernameNow() === 'ordinal2');
  await until(() => now()?.status?.rotation?.formerLogin === 'ordinal');
  expect(now()?.status?.rotation).toEqual({
    lastRotatedAt: secretNow()?.metadata.annotations?.['ordinal.dev/rotated-at'],
    nextRotationAt: expect.any(String) as string,
    formerLogin: 'ordinal',
    token: 'a',
  });
  expect(Object.keys(secretNow()?.data ?? {}).filter((key) => key.startsWith('next-'))).toEqual([]);
  await until(() => now()?.status?.rotation?.formerLogin === undefined);
  await world.cluster.advance(30 * minute);
  const events = eventReasons();
  // The change of the logins has passed, too.
  expect(events).toEqual(['Available', 'RotationStarted', 'Rotated', 'Available', 'FormerLoginEnded']);
  expect(usernameNow()).toBe('ordinal2');
});

test('a provider that keeps one login is asked for nothing, and the condition says what to do', async () => {
  await ready({ rotation: { every: '1h', overlap: '5m' } }, false);
  await rotate('a');
  await world.cluster.advance(120 * minute);
  expect(conditionNow()).toMatchObject({ status: 'False', reason: 'Unsupported' });
  expect(conditionNow()?.message).toContain('take spec.rotation and the annotation ordinal.dev/rotate out');
  expect(Object.keys(secretNow()?.data ?? {}).filter((key) => key.startsWith('next-'))).toEqual([]);
  expect(world.provider.calls['PATCH'] ?? 0).toBe(0);
  const body = { metadata: { annotations: { 'ordinal.dev/rotate': null } }, spec: { rotation: null } };
  await resource().patch('orders', { type: 'merge', body });
  await until(() => conditionNow() === undefined);
});

test('a rotation that has begun goes to its end without the spec that asked for it', async () => {
  await ready({ rotation: { overlap: '5m' } });
  world.provider.refused.set('PATCH', 503);
  await rotate('a');
  await until(() => secretNow()?.data?.['next-password'] !== undefined);
  await resource().patch('orders', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/rotate': null } }, spec: { rotation: null } },
  });
  await world.cluster.advance(minute);
  expect(usernameNow()).toBe('ordinal');
  world.provider.refused.clear();
  await until(() => usernameNow() === 'ordinal2');
  await until(() => now()?.status?.rotation?.formerLogin === 'ordinal');
});
