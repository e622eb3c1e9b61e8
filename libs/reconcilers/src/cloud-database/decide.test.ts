import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import { expect, test } from 'vitest';
import type { ExternalRecord } from '@ordinal/lifecycle';
import { longestRetryMs, usualIntervals } from '@ordinal/lifecycle';
import { decideDatabase } from './decide.ts';
import type { DatabaseObservation } from './observe.ts';
import { databaseFinalizer } from './spec.ts';

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

/** An object that takes a database over and deletes it with itself, in its deletion, after a restore that may have taken the record back; with what the look-up by name or ID showed. */
function leavingImport(record: ExternalRecord, external?: ExternalRecord): DatabaseObservation {
  const metadata = {
    ...{ name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    ...{ finalizers: [databaseFinalizer], deletionTimestamp: '2026-01-01T00:00:00Z' },
  };
  const spec = {
    ...{ engine: 'postgres', size: 'small', managementPolicies: ['*'] },
    ...{ externalName: 'legacy', deletionPolicy: 'Delete' },
  };
  const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 1_000 };
  return {
    database: { metadata, spec, ...(external && { status: { external } }) },
    record,
    account: { account: 'a', system: { traits } },
    lookup: { kind: 'answered', views: [{ id: 'db-1', state: 'ready' }], byId: external !== undefined },
  } as unknown as DatabaseObservation; // All that is read here.
}

test('an import that a restore has lost is written down before its database is deleted with the object', () => {
  const lost: ExternalRecord = {
    token: 'u-1',
    incarnation: 1,
    imported: true,
    createAttemptedAt: '2026-01-01T00:00:00Z',
  };
  const first = decide(leavingImport(lost));
  expect(first.actions).toEqual([]);
  const { external } = first.status?.status as CloudDatabaseStatus;
  expect(external).toMatchObject({ id: 'db-1', imported: true });
  const written: ExternalRecord = { ...lost, id: 'db-1' };
  expect(decide(leavingImport(written, written)).actions).toMatchObject([
    { kind: 'call', call: { verb: 'delete', id: 'db-1' } },
  ]);
});
