import type { PersistentVolumeClaim } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { Observation } from './observation.ts';
import { growVolumes, volumeStatus } from './volumes.ts';

interface Given {
  readonly asked: string;
  readonly capacity?: string;
  readonly deletionTimestamp?: string;
  readonly phase?: 'Pending';
}

const claimOf = (
  { asked, capacity = asked, deletionTimestamp, phase }: Given,
  ordinal: number,
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    ...{ name: `data-orders-${ordinal}`, namespace: 'shop', uid: `c${ordinal}`, resourceVersion: '1' },
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  },
  spec: { resources: { requests: { storage: asked } } },
  status: { phase: phase ?? 'Bound', capacity: { storage: capacity } },
});

const seenOf = (size: string, ...claims: readonly Given[]): Observation =>
  ({ cluster: { spec: { storage: { size } } }, claims: claims.map(claimOf) }) as unknown as Observation; // The rest is not read here.

test.each<[string, Given, readonly object[]]>([
  ['that is smaller grows', { asked: '1Gi' }, [{ spec: { resources: { requests: { storage: '2Gi' } } } }]],
  ['that is as large in other words stays', { asked: '2048Mi' }, []],
  ['that a user has made larger by hand stays: no volume can shrink', { asked: '3Gi' }, []],
  ['that goes is left alone', { asked: '1Gi', deletionTimestamp: '2026-01-01T00:00:00Z' }, []],
  ['that is not bound is left alone: an API server would refuse its growth', { asked: '1Gi', phase: 'Pending' }, []],
])('a claim %s', (_what, claim, fields) => {
  expect(growVolumes(seenOf('2Gi', claim))).toEqual(fields.map((each) => expect.objectContaining({ fields: each })));
});

test('the status tells the smallest volume, and how many have yet to grow', () => {
  const seen = seenOf('2Gi', { asked: '2Gi', capacity: '1Gi' }, { asked: '2Gi' }, { asked: '3Gi' });
  expect(volumeStatus(seen)).toEqual({ size: '1Gi', resizing: 1 });
  expect(volumeStatus(seenOf('2Gi'))).toBeUndefined();
});
