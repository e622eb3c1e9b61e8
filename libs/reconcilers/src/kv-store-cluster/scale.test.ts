import type { KVStoreCluster } from '@ordinal/api';
import type { PersistentVolumeClaim, Pod, StatefulSet } from '@ordinal/client';
import type { Sealer } from '@ordinal/lifecycle';
import { describe, expect, test } from 'vitest';
import type { Observation } from './observation.ts';
import { decideScale } from './scale.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

interface Situation {
  /** The record of the Job before a reduction. */
  readonly record?: { readonly subject: string; readonly result?: 'Succeeded' | 'Failed'; readonly spent?: boolean };
  /** The ordinals of the claims. */
  readonly claims?: readonly number[];
  readonly keeps?: boolean;
  readonly hasRun?: boolean;
  readonly unowned?: StatefulSet;
}

/** A cluster of two members, whose StatefulSet is not there, and no member either. */
function lost({ record, claims = [0, 1], keeps = false, hasRun = true, unowned }: Situation): Observation {
  const cluster = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace: 'shop', uid: 'u1', generation: 7 },
    spec: {
      ...{ version: '2.0', replicas: 2, storage: { size: '1Gi' } },
      scaleDown: { before: { command: ['move'] }, claims: keeps ? 'Retain' : 'Delete' },
    },
    status: {
      ...(hasRun && { currentVersion: '2.0' }),
      hooks: record ? [{ purpose: 'BeforeScaleDown', job: 'orders-before-scale-down-1', ...record }] : [],
    },
  } as unknown as KVStoreCluster; // With the fields that the decision reads.
  const claim = (ordinal: number) => ({ metadata: { name: `data-orders-${ordinal}` } }) as PersistentVolumeClaim;
  return {
    ...{ cluster, claims: claims.map(claim), pods: [], jobs: [], taskPods: [], outputs: new Map() },
    ...(unowned && { unowned }),
  } as unknown as Observation; // The rest is not read here.
}

describe('a StatefulSet that is lost', () => {
  const sizeOf = (situation: Situation): number => decideScale(lost(situation), now).replicas;

  test('is as large again as the claims that are to go with their members, until the Job before that has succeeded', () => {
    expect(sizeOf({ claims: [0, 1, 2] })).toBe(3);
    expect(sizeOf({ claims: [0, 1, 2], record: { subject: '3>2@7/a', result: 'Failed' } })).toBe(3);
    expect(sizeOf({ claims: [0, 1, 2], record: { subject: '3>2@6/a', result: 'Succeeded', spent: true } })).toBe(3);
    expect(sizeOf({ claims: [0, 1, 2], record: { subject: '3>2@6/a', result: 'Succeeded' } })).toBe(2);
  });

  test('is as large again as it was before a reduction whose Job has not succeeded', () => {
    expect(sizeOf({ keeps: true, record: { subject: '3>2@7/a', result: 'Failed' } })).toBe(3);
    expect(sizeOf({ keeps: true, record: { subject: '3>2@7/a' } })).toBe(3);
    expect(sizeOf({ keeps: true, record: { subject: '3>2@7/a', result: 'Failed', spent: true } })).toBe(2);
    expect(sizeOf({ keeps: true, record: { subject: '3>2@7/a', result: 'Succeeded' } })).toBe(2);
  });

  test('is not as large as claims that are kept', () => {
    expect(sizeOf({ keeps: true, claims: [0, 1, 2, 3] })).toBe(2);
  });

  test('is as large as the spec says where none has ever been complete', () => {
    expect(sizeOf({ hasRun: false, claims: [0, 1, 2] })).toBe(2);
  });

  test('is as large as one that is taken back', () => {
    const unowned = { spec: { replicas: 4 } } as unknown as StatefulSet; // All that is read of it.
    expect(sizeOf({ keeps: true, unowned })).toBe(4);
  });
});

/** A seal that can be read. */
const sealer: Sealer = {
  sign: ({ item }) => JSON.stringify(item),
  holds: ({ item }, seal) => seal === JSON.stringify(item),
};

// Who may create pods may name any owner for them, and copy an annotation.
test.each([
  ['which the operator has given to it', 'p2', { replicas: 3, waits: ['Running'] }],
  ['with the seal of another pod', 'p1', { replicas: 2, waits: [] }],
  ['without a seal', undefined, { replicas: 2, waits: [] }],
])(
  'a member that the cluster controls, %s: whether it has room, and leaves by the Job of a reduction',
  (_who, sealed, decided) => {
    const seen = lost({ claims: [0, 1] });
    const { apiVersion, kind, metadata } = seen.cluster;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
    const annotations = sealed === undefined ? {} : { 'ordinal.dev/seal': JSON.stringify({ uid: sealed }) };
    const ahead = {
      metadata: { name: 'orders-2', uid: 'p2', ownerReferences: [owner], annotations },
    } as unknown as Pod;
    const statefulSet = { spec: { replicas: 2 } } as unknown as StatefulSet; // All that is read of it.
    const { replicas, tasks } = decideScale({ ...seen, pods: [ahead], statefulSet, sealer }, now);
    expect({ replicas, waits: tasks.map(({ state }) => state) }).toEqual(decided);
  },
);
