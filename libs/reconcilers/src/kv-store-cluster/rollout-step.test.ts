import type { KVStoreCluster } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import { describe, expect, test } from 'vitest';
import type { Observation, PodTemplate } from './observation.ts';
import { wantedHash } from './observation.ts';
import { decideRollout } from './rollout-step.ts';
import { everyMember } from './upgrade.ts';

const minute = 60_000;
const began = Date.parse('2026-01-01T00:00:00Z');

const before = { metadata: { annotations: { [templateHashAnnotation]: 'before' } } } as unknown as PodTemplate; // All that is read of it.

/** A cluster in the middle of an upgrade to 2.0 that began at `began`, whose StatefulSet was just made again: with this status. */
function madeAgain(status: Partial<StatefulSet['status']>, step?: 'Baking'): Observation {
  const cluster = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace: 'shop', uid: 'u1', generation: 2 },
    spec: { version: '2.0', replicas: 3, image: 'kv', storage: { size: '1Gi' }, upgradeStrategy: 'Canary' },
    status: { currentVersion: '1.0', currentRevision: 'before' },
  } as unknown as KVStoreCluster; // With the fields that the decision reads.
  const upgrade = { toRevision: wantedHash(cluster), partition: 1, startedAt: '2026-01-01T00:00:00Z', lastProgressAt: '2026-01-01T00:00:00Z', ...(step && { step }) }; // prettier-ignore
  return {
    cluster: { ...cluster, status: { ...cluster.status, upgrade } },
    statefulSet: { metadata: { name: 'orders', uid: 's1' }, spec: { replicas: 3, template: before }, status } as unknown as StatefulSet, // prettier-ignore
    previousTemplate: before,
    pods: [],
  } as unknown as Observation; // The rest is not read here.
}

describe('a StatefulSet that was made again in the middle of an upgrade', () => {
  test('keeps the template that ran, and lets nobody go, until a controller has looked at it', () => {
    const { template, partition, record, failed, lookAgainAt } = decideRollout(madeAgain({}), began + minute);
    expect({ template, partition, failed }).toEqual({ template: before, partition: everyMember, failed: undefined });
    expect(record).not.toHaveProperty('partition');
    expect(lookAgainAt).toBe(began + 15 * minute);
  });

  test('gets the new template afterwards', () => {
    const { template, partition } = decideRollout(madeAgain({ currentRevision: 'orders-1' }), began + minute);
    expect({ template, partition }).toEqual({ template: undefined, partition: 2 });
  });

  test('meets the deadline also where no controller ever looks', () => {
    const { failed, template } = decideRollout(madeAgain({}), began + 15 * minute);
    expect(failed?.reason).toBe('ProgressDeadlineExceeded');
    expect(template).toBe(before);
  });

  test('is not looked at again for a deadline that is over, and that its bake time has suspended', () => {
    const { failed, lookAgainAt } = decideRollout(madeAgain({}, 'Baking'), began + 60 * minute);
    expect({ failed, lookAgainAt }).toEqual({ failed: undefined, lookAgainAt: undefined });
  });
});

/** A rolling update to 2.0 that is paused: who runs it, of three members, by ordinal; a member that is not named is missing. */
function paused(members: Readonly<Record<number, 'before' | 'wanted'>>): Observation {
  const seen = madeAgain({ currentRevision: 'orders-1', updateRevision: 'orders-2' });
  const spec = {
    ...seen.cluster.spec,
    upgradeStrategy: 'RollingUpdate',
    upgrade: { onFailure: 'Rollback', progressDeadline: '15m', paused: true },
  } as const;
  const cluster = { ...seen.cluster, spec };
  const wanted = wantedHash(cluster);
  const template = { metadata: { annotations: { [templateHashAnnotation]: wanted } } };
  const pods = Object.entries(members).map(([ordinal, runs]) => ({
    metadata: {
      ...{ name: `orders-${ordinal}`, uid: `p${ordinal}`, labels: {} },
      annotations: { [templateHashAnnotation]: runs === 'wanted' ? wanted : 'before' },
      ownerReferences: [{ uid: 's1', controller: true }],
    },
    spec: {},
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  const { statefulSet, ...rest } = seen;
  const upgrade = { ...cluster.status?.upgrade, toRevision: wanted };
  return {
    ...rest,
    ...{ cluster: { ...cluster, status: { ...cluster.status, upgrade } }, pods },
    statefulSet: { ...statefulSet, spec: { ...statefulSet?.spec, template } },
  } as unknown as Observation; // The rest is not read here.
}

describe('a pause of a rolling update', () => {
  const partitionOf = (seen: Observation): number => decideRollout(seen, began + minute).partition;

  test('holds those that were not replaced yet', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'wanted' }))).toBe(2);
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'before' }))).toBe(everyMember);
  });

  // Found by the search (seed 1, a pod that is deleted without grace): the lowest was made of the new template, and nothing held the one above it.
  test('holds those above one that somebody has deleted, and that has come back as what is wanted', () => {
    expect(partitionOf(paused({ 0: 'wanted', 1: 'before', 2: 'wanted' }))).toBe(2);
  });

  test('lets one that is missing come back as it was', () => {
    expect(partitionOf(paused({ 0: 'before', 2: 'wanted' }))).toBe(2);
    expect(partitionOf(paused({ 2: 'wanted' }))).toBe(2);
  });

  test('does not take one back that has run what is wanted', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'wanted' }))).toBe(1);
    expect(partitionOf(paused({ 0: 'wanted', 1: 'wanted' }))).toBe(0);
    expect(partitionOf(paused({ 0: 'wanted', 1: 'before' }))).toBe(2);
  });
});

describe('a canary that is not ready any more', () => {
  /** It was ready, and has baked, since two minutes after the beginning; it is gone at this moment. */
  function fallsBack(at: number): ReturnType<typeof decideRollout> {
    const seen = madeAgain({ currentRevision: 'orders-1', updateRevision: 'orders-2' }, 'Baking');
    const spec = { ...seen.cluster.spec, canary: { replicas: 1, bake: '20m', promotion: 'Automatic' } } as const;
    const cluster = { ...seen.cluster, spec };
    const upgrade = {
      ...{ ...cluster.status?.upgrade, toRevision: wantedHash(cluster), partition: 2, updated: 1 },
      ...{ step: 'Baking', pod: 'orders-2', since: '2026-01-01T00:02:00Z' },
    };
    return decideRollout(
      { ...seen, cluster: { ...cluster, status: { ...cluster.status, upgrade } } } as Observation,
      at,
    );
  }

  test('has not been late while it baked, however long', () => {
    const { record, failed, lookAgainAt } = fallsBack(began + 19 * minute);
    expect({ step: record?.step, failed }).toEqual({ step: 'Replacing', failed: undefined });
    expect(record?.lastProgressAt).toBe('2026-01-01T00:17:00Z');
    expect(lookAgainAt).toBe(began + 32 * minute);
  });

  test('has got no further by it, either', () => {
    expect(fallsBack(began + 3 * minute).record?.lastProgressAt).toBe('2026-01-01T00:01:00Z');
  });
});
