import type { CloudDatabase } from '@ordinal/api';
import { expect, test } from 'vitest';
import { statusFor } from './status.ts';

const externalStatus = { reason: 'Creating', message: 'working on it', synced: 'True', ready: 'False' } as const;
const database: CloudDatabase = {
  apiVersion: 'db.example.com/v1',
  kind: 'CloudDatabase',
  metadata: {
    name: 'orders',
    namespace: 'shop',
    uid: 'me',
    resourceVersion: '1',
    creationTimestamp: '',
    generation: 1,
  },
  spec: { engine: 'postgres', size: 'small', managementPolicies: ['*'] },
  status: {
    phase: 'Ready',
    endpoint: 't1.example:5432',
    size: 'small',
    external: { token: 'me-1', incarnation: 1, id: 't1' },
  },
};
const recorded = (id: string) => ({ token: 'me-1', incarnation: 1, id });

test.each([
  ['is kept while the provider does not show it', 't1', 't1.example:5432'],
  ['of another database than is used now is not shown', 't2', undefined],
])('an endpoint %s', (_what, id, endpoint) => {
  expect(statusFor(database, { externalStatus, record: recorded(id), now: 0 }).endpoint).toBe(endpoint);
});

test.each([
  ['is kept for the same database', 't1', 'abc'],
  ['counts for no other one that was made with the same token', 't2', undefined],
])('the digest of a password %s', (_what, id, passwordDigest) => {
  const status = { ...database.status, external: { ...recorded('t1'), passwordDigest: 'abc' } };
  const { external } = statusFor({ ...database, status }, { externalStatus, record: recorded(id), now: 0 });
  expect(external?.passwordDigest).toBe(passwordDigest);
});
