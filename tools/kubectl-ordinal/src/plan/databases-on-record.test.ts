import type { CloudDatabase } from '@ordinal/api';
import type { Secret } from '@ordinal/client';
import { expect, test } from 'vitest';
import { databasesOf } from './databases-on-record.ts';

const rotatedAt = '2026-01-01T00:20:00Z';

const condition = (type: string, reason = 'Available') => ({
  ...{ type, status: 'True' as const, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
});

/** A database whose login has been replaced, and which a schedule has replaced again later. */
function rotating(change: Partial<NonNullable<CloudDatabase['status']>> = {}): CloudDatabase {
  return {
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name: 'orders', namespace: 'default', uid: 'u1' },
    spec: { engine: 'postgres', size: 'small', rotation: { every: '720h' } },
    status: {
      instanceId: 'i1',
      size: 'small',
      endpoint: 'i1.db.example:5432',
      external: { token: 't1', id: 'i1' },
      rotation: { lastRotatedAt: rotatedAt },
      conditions: [condition('Ready'), condition('Synced'), condition('RotationOnSchedule', 'OnSchedule')],
      ...change,
    },
  } as CloudDatabase;
}

const encoded = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

/** Reads a connection Secret that says this. */
const saying =
  (data: Readonly<Record<string, string>>, at = rotatedAt) =>
  () =>
    Promise.resolve({
      metadata: { name: 'orders-connection', annotations: { 'ordinal.dev/rotated-at': at } },
      data: encoded(data),
    } as unknown as Secret);

const named = { username: 'ordinal2', password: 'p' };
const logins = [
  { name: 'ordinal2', state: 'open' },
  { name: '(the other login of the database)', state: 'closed' },
];

test('between two rotations the login that the Secret names is open, and the other one is closed', async () => {
  expect(await databasesOf(rotating(), saying(named))).toMatchObject([{ id: 'i1', state: 'ready', logins }]);
});

test.each([
  [
    'the former login lasts',
    rotating({ rotation: { lastRotatedAt: rotatedAt, formerLogin: 'ordinal' } }),
    saying(named),
  ],
  [
    'the next login stands in the Secret',
    rotating(),
    saying({ ...named, 'next-username': 'ordinal', 'next-password': 'n' }),
  ],
  ['the status is older than the Secret', rotating(), saying(named, '2026-01-01T00:40:00Z')],
  [
    'no condition says whether the provider keeps two',
    rotating({ conditions: [condition('Ready'), condition('Synced')] }),
    saying(named),
  ],
  ['there is no Secret', rotating(), () => Promise.resolve(undefined)],
])('what the provider shows is not on record where %s', async (_why, database, read) => {
  expect(await databasesOf(database, read)).toBeUndefined();
});

test.each([
  [
    'its provider keeps one',
    rotating({ conditions: [condition('Ready'), condition('Synced'), condition('RotationOnSchedule', 'Unsupported')] }),
  ],
  [
    'nothing asks for a rotation',
    {
      ...rotating({ rotation: {}, conditions: [condition('Ready'), condition('Synced')] }),
      spec: { engine: 'postgres', size: 'small' },
    } as CloudDatabase,
  ],
])('a database has one login where %s', async (_why, database) => {
  const [view] = (await databasesOf(database, saying(named))) ?? [];
  expect(view).toMatchObject({ id: 'i1', state: 'ready' });
  expect(view?.logins).toBeUndefined();
});
