import type { Secret } from '@ordinal/client';
import { expect, test } from 'vitest';
import { wantedConnection } from './connection.ts';

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
  const modifying = { id: 't1', state: 'pending' } as const;
  expect(wantedConnection(secret, modifying, 'secret')).toEqual({ ...parts, port: 5432 });
  expect(wantedConnection(secret, { ...modifying, host: 'moved.example' }, 'secret').host).toBe('moved.example');
});
