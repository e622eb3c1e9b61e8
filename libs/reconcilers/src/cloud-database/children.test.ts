import type { Secret } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { CloudDatabase } from '@ordinal/api';
import { secretToWrite, wantedConnection } from './children.ts';

test('what a provider does not show at the moment stays in the connection', () => {
  const parts = { host: 'db.example', port: '5432', database: 'app', username: 'ordinal', password: 'secret' };
  const data = Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, btoa(value)]));
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'orders-connection',
      namespace: 'shop',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data,
  };
  const login = { username: 'ordinal', password: 'secret' };
  const modifying = { id: 't1', state: 'pending' } as const;
  expect(wantedConnection(secret, modifying, login)).toEqual({ ...parts, port: 5432 });
  expect(wantedConnection(secret, { ...modifying, host: 'moved.example' }, login).host).toBe('moved.example');
});

test('the Secret is written only over what was read, so that a password that a user has just put there stays', () => {
  const metadata = { name: 'orders', namespace: 'shop', uid: '2', resourceVersion: '7', creationTimestamp: '' };
  // The fields that the Secret is made of.
  const database = { apiVersion: 'db.example.com/v1', kind: 'CloudDatabase', metadata, spec: {} } as CloudDatabase;
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: 'orders-connection', resourceVersion: '41' },
    data: { password: btoa('secret') },
  };
  const annotations = {};
  const connection = wantedConnection(
    secret,
    { id: 't1', state: 'ready', host: 'db.example', port: 5432 },
    { password: 'secret' },
  );
  expect(secretToWrite(database, secret, { connection, annotations })?.metadata.resourceVersion).toBe('41');
  expect(secretToWrite(database, undefined, { connection, annotations })?.metadata.resourceVersion).toBeUndefined();
});
