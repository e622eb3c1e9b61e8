import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import { expect, test } from 'vitest';
import { longestRetryMs, usualIntervals } from '@ordinal/lifecycle';
import { decideDatabase } from './decide.ts';
import type { DatabaseObservation } from './observe.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

/** A database whose connection would be written over its provider's Secret. */
function invalid(status?: CloudDatabaseStatus, annotations = {}): DatabaseObservation {
  const metadata = { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1', annotations };
  const spec = {
    engine: 'postgres',
    size: 'small',
    managementPolicies: ['*'],
    providerRef: { name: 'orders-connection' },
  };
  const database = {
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata,
    spec,
    ...(status && { status }),
  };
  return { database: database as unknown as CloudDatabase } as unknown as DatabaseObservation; // All that is read here.
}

const decide = (seen: DatabaseObservation) =>
  decideDatabase(seen, { now, random: 0, newPassword: 'secret', intervals: usualIntervals });

test('a spec that is invalid is reported at every look, and published seldom', () => {
  const first = decide(invalid());
  expect(first.events).toEqual([{ type: 'Warning', reason: 'InvalidSpec', note: expect.any(String) }]);
  const again = decide(invalid(first.status?.status as CloudDatabaseStatus));
  expect(again.events).toEqual([{ ...first.events?.[0], atMostEveryMs: expect.any(Number) }]);
  expect(again.status?.status).toEqual(first.status?.status);
  expect(again.lookAgainAt).toBe(now + longestRetryMs);
});

test('a pause is no problem, and no further look is due', () => {
  const { events, lookAgainAt } = decide(invalid(undefined, { 'ordinal.dev/paused': 'true' }));
  expect({ events, lookAgainAt }).toEqual({ events: [], lookAgainAt: undefined });
});
