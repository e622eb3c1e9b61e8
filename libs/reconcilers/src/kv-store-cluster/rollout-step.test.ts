import type { KVStoreCluster } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import { describe, expect, test } from 'vitest';
import type { Observation, PodTemplate } from './observation.ts';
import { wantedHash } from './observation.ts';
import { decideUpgrade } from './rollout-step.ts';
import { everyMember } from '@ordinal/lifecycle';

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
    ...{ pods: [], claims: [] },
  } as unknown as Observation; // The rest is not read here.
}

describe('a StatefulSet that was made again in the middle of an upgrade', () => {
  test('keeps the template that ran, and releases no member, until a controller has looked at it', () => {
    const { template, partition, record, failed, lookAgainAt } = decideUpgrade(madeAgain({}), began + minute);
    expect({ template, partition, failed }).toEqual({ template: before, partition: everyMember, failed: undefined });
    expect(record).toHaveProperty('partition', 1);
    expect(lookAgainAt).toBe(began + 15 * minute);
  });

  // They would start as an older version than their volumes have seen.
  test('makes none of the members that it had released, and has room for those only that it has taken up', () => {
    expect(decideUpgrade(madeAgain({}), began + minute)).toMatchObject({ maxReplicas: 1, keepFrom: 1 });
    const withPod = (name: string, metadata: object = {}): Observation => {
      const pods = [{ metadata: { name, ...metadata } }] as unknown as Observation['pods']; // All that is read of it.
      return { ...madeAgain({}), pods };
    };
    const roomWith = (seen: Observation) => decideUpgrade(seen, began + minute).maxReplicas;
    const ownedBy = (uid: string) => ({
      ownerReferences: [{ kind: 'StatefulSet', name: 'orders', uid, controller: true }],
    });
    expect(roomWith(withPod('orders-2'))).toBe(1);
    expect(roomWith(withPod('orders-2', ownedBy('s0')))).toBe(1);
    expect(roomWith(withPod('orders-2', ownedBy('s1')))).toBe(3);
  });

  test('gets the new template afterwards, for those that it had released', () => {
    const { template, partition, maxReplicas } = decideUpgrade(
      madeAgain({ currentRevision: 'orders-1' }),
      began + minute,
    );
    expect({ template, partition, maxReplicas }).toEqual({ template: undefined, partition: 1, maxReplicas: undefined });
  });

  test('gets the new template at once where it had let all go', () => {
    const seen = madeAgain({});
    const upgrade = { ...seen.cluster.status?.upgrade, partition: 0 };
    const cluster = { ...seen.cluster, status: { ...seen.cluster.status, upgrade } };
    const { template, partition } = decideUpgrade({ ...seen, cluster }, began + minute);
    expect({ template, partition }).toEqual({ template: undefined, partition: 0 });
  });

  test('meets the deadline also where no controller ever looks', () => {
    const { failed, template } = decideUpgrade(madeAgain({}), began + 15 * minute);
    expect(failed?.reason).toBe('ProgressDeadlineExceeded');
    expect(template).toBe(before);
  });

  test('is not looked at again for a deadline that is over, and that its bake time has suspended', () => {
    const { failed, lookAgainAt } = decideUpgrade(madeAgain({}, 'Baking'), began + 60 * minute);
    expect({ failed, lookAgainAt }).toEqual({ failed: undefined, lookAgainAt: undefined });
  });
});

// Found by a reader: neither was heard before the StatefulSet was there again.
describe('an upgrade whose StatefulSet is lost and can not be made', () => {
  const { statefulSet: _lost, ...lost } = madeAgain({});
  test('waits for it, and meets its deadline', () => {
    expect(decideUpgrade(lost, began + minute)).toMatchObject({ template: before, lookAgainAt: began + 15 * minute });
    const { failed, template } = decideUpgrade(lost, began + 15 * minute);
    expect([failed?.reason, template]).toEqual(['ProgressDeadlineExceeded', before]);
  });

  test('hears that it is to be ended', () => {
    const annotations = { 'ordinal.dev/abort': '2.0' };
    const cluster = { ...lost.cluster, metadata: { ...lost.cluster.metadata, annotations } };
    expect(decideUpgrade({ ...lost, cluster }, began + minute).failed?.reason).toBe('Aborted');
  });
});

/** A rolling update to 2.0 that is paused: who runs it, of three members, by ordinal; a member that is not named is missing. */
function paused(
  members: Readonly<Record<number, 'before' | 'wanted'>>,
  { replicas = 3, recorded = {}, counted }: { replicas?: number; recorded?: object; counted?: number } = {},
): Observation {
  const currentReplicas = counted ?? Object.values(members).filter((runs) => runs === 'before').length;
  const seen = madeAgain({ currentRevision: 'orders-1', updateRevision: 'orders-2', currentReplicas });
  const spec = {
    ...seen.cluster.spec,
    replicas,
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
  const upgrade = { ...cluster.status?.upgrade, toRevision: wanted, ...recorded };
  return {
    ...rest,
    ...{ cluster: { ...cluster, status: { ...cluster.status, upgrade } }, pods },
    statefulSet: { ...statefulSet, spec: { ...statefulSet?.spec, template } },
  } as unknown as Observation; // The rest is not read here.
}

describe('a pause of a rolling update', () => {
  const partitionOf = (seen: Observation): number => decideUpgrade(seen, began + minute).partition;

  test('holds those that were not replaced yet', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'wanted' }))).toBe(2);
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'before' }))).toBe(everyMember);
  });

  test('holds none that was released and is seen as it was before, where fewer are counted', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'wanted' }, { counted: 1 }))).toBe(1);
  });

  // A volume that has seen what is wanted never sees what ran before again, also where that releases one above it.
  test('holds no member above one that has come back as what is wanted', () => {
    expect(partitionOf(paused({ 0: 'wanted', 1: 'before', 2: 'wanted' }))).toBe(0);
    expect(partitionOf(paused({ 0: 'wanted', 1: 'before' }))).toBe(0);
  });

  test('lets one that is missing come back as it was, unless it was released', () => {
    expect(partitionOf(paused({ 0: 'before', 2: 'wanted' }, { recorded: { partition: 2 } }))).toBe(2);
    expect(partitionOf(paused({ 2: 'wanted' }, { recorded: { partition: 2 } }))).toBe(2);
    expect(partitionOf(paused({ 0: 'before', 2: 'wanted' }, { recorded: { partition: 1 } }))).toBe(1);
  });

  test('does not take one back that has run what is wanted', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'wanted' }))).toBe(1);
    expect(partitionOf(paused({ 0: 'wanted', 1: 'wanted' }))).toBe(0);
  });

  test('does not take the only one back that was released, as is recorded, and is missing', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'before' }, { recorded: { partition: 3 } }))).toBe(everyMember);
    expect(partitionOf(paused({ 0: 'before', 1: 'before' }, { recorded: { partition: 2 } }))).toBe(2);
    expect(partitionOf(paused({ 0: 'before' }, { recorded: { partition: 2 } }))).toBe(2);
  });

  test('does not take one back that a reduction has not taken away yet', () => {
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'wanted' }, { replicas: 2 }))).toBe(2);
    expect(partitionOf(paused({ 0: 'before', 1: 'before', 2: 'before' }, { replicas: 2 }))).toBe(everyMember);
  });
});

/** A canary of 2.0, what its upgrade had recorded, and who runs what. */
function canary(
  recorded: object,
  {
    paused = false,
    members = {},
  }: { paused?: boolean; members?: Readonly<Record<number, 'before' | 'wanted' | 'broken'>> } = {},
): Observation {
  const seen = madeAgain({ currentRevision: 'orders-1', updateRevision: 'orders-2' });
  const spec = {
    ...seen.cluster.spec,
    canary: { replicas: 1, bake: '20m', promotion: 'Automatic' },
    upgrade: { onFailure: 'Rollback', progressDeadline: '15m', paused },
  } as const;
  const cluster = { ...seen.cluster, spec };
  const wanted = wantedHash(cluster);
  const upgrade = {
    ...{ ...cluster.status?.upgrade, toRevision: wanted, partition: 2, updated: 2 },
    ...{ pod: 'orders-2', since: '2026-01-01T00:02:00Z', ...recorded },
  };
  const pods = Object.entries(members).map(([ordinal, runs]) => ({
    metadata: {
      ...{ name: `orders-${ordinal}`, uid: `p${ordinal}`, labels: {} },
      annotations: { [templateHashAnnotation]: runs === 'before' ? 'before' : wanted },
      ownerReferences: [{ uid: 's1', controller: true }],
    },
    spec: {},
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: runs === 'broken' ? 'False' : 'True', lastTransitionTime: '2025-12-31T00:00:00Z' },
      ],
    },
  }));
  return { ...seen, cluster: { ...cluster, status: { ...cluster.status, upgrade } }, pods } as unknown as Observation;
}

describe('a canary that is not ready any more', () => {
  test('has not been late while it baked, however long', () => {
    const { record, failed, lookAgainAt } = decideUpgrade(canary({ step: 'Baking' }), began + 19 * minute);
    expect({ step: record?.step, failed }).toEqual({ step: 'Replacing', failed: undefined });
    expect(record?.lastProgressAt).toBe('2026-01-01T00:17:00Z');
    expect(lookAgainAt).toBe(began + 32 * minute);
  });

  test.each(['Baking', 'AwaitingPromotion'])('has got no further by it, either (%s)', (step) => {
    const { record } = decideUpgrade(canary({ step }), began + 3 * minute);
    expect(record?.lastProgressAt).toBe('2026-01-01T00:01:00Z');
  });

  test('has not been late while it baked before a pause', () => {
    const { record } = decideUpgrade(canary({ step: 'Baking' }, { paused: true }), began + 20 * minute);
    expect(record).toMatchObject({
      step: 'Paused',
      lastProgressAt: '2026-01-01T00:18:00Z',
      since: '2026-01-01T00:20:00Z',
    });
  });

  test('does not get further each time that a member below it, which has been replaced, is released again', () => {
    const members = { 0: 'before', 1: 'broken', 2: 'wanted' } as const;
    const { record, partition } = decideUpgrade(canary({ step: 'Replacing' }, { members }), began + minute);
    expect({ partition, step: record?.step, pod: record?.pod }).toEqual({
      partition: 1,
      step: 'Replacing',
      pod: 'orders-1',
    });
    expect(record?.lastProgressAt).toBe('2026-01-01T00:00:00Z');
  });

  test('gets further when a member is released that has not been replaced', () => {
    const members = { 0: 'before', 1: 'before', 2: 'wanted' } as const;
    const { record, partition } = decideUpgrade(canary({ step: 'Replacing' }, { members }), began + minute);
    expect({ partition, lastProgressAt: record?.lastProgressAt }).toEqual({
      partition: 1,
      lastProgressAt: '2026-01-01T00:01:00Z',
    });
  });
});
