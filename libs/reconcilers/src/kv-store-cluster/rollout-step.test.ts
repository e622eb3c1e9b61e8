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
function madeAgain(status: Partial<StatefulSet['status']>): Observation {
  const cluster = {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace: 'shop', uid: 'u1', generation: 2 },
    spec: { version: '2.0', replicas: 3, image: 'kv', storage: { size: '1Gi' }, upgradeStrategy: 'Canary' },
    status: { currentVersion: '1.0', currentRevision: 'before' },
  } as unknown as KVStoreCluster; // With the fields that the decision reads.
  const upgrade = { toRevision: wantedHash(cluster), partition: 1, startedAt: '2026-01-01T00:00:00Z', lastProgressAt: '2026-01-01T00:00:00Z' }; // prettier-ignore
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
});
