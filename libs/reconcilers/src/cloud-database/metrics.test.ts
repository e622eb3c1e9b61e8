import type { CloudDatabase } from '@ordinal/api';
import { expect, test } from 'vitest';
import { cloudDatabaseMetrics } from './metrics.ts';

test.each([
  ['True', 'Available', 0, 1],
  ['Unknown', 'NotCreated', 0, 1],
  ['False', 'Updating', 0, 1],
  ['False', 'CallFailed', 1, 0],
  ['False', 'OwnedByAnother', 1, 1],
  ['False', 'InvalidSpec', 1, 1],
])('Synced=%s, %s is an error: %i, and its provider can be reached: %i', (status, reason, error, reachable) => {
  const conditions = [{ type: 'Synced', status, reason, message: '', lastTransitionTime: '' }];
  const database = {
    metadata: { name: 'orders', namespace: 'shop' },
    status: { conditions },
  } as unknown as CloudDatabase; // All that is read of it.
  const labels = { namespace: 'shop', name: 'orders' };
  expect(cloudDatabaseMetrics([database])).toMatchObject([
    { name: 'ordinal_clouddatabase_processing_error', labels, value: error },
    { name: 'ordinal_clouddatabase_provider_reachable', labels, value: reachable },
  ]);
});

test.each([
  ['True', 0],
  ['False', 1],
])('RotationOnSchedule=%s has the gauge %i, and without the condition there is none', (status, value) => {
  const conditions = [{ type: 'RotationOnSchedule', status, reason: 'Any', message: '', lastTransitionTime: '' }];
  const metadata = { name: 'orders', namespace: 'shop' };
  const samplesFor = (found: typeof conditions) =>
    cloudDatabaseMetrics([{ metadata, status: { conditions: found } } as unknown as CloudDatabase]) // All that is read of it.
      .filter(({ name }) => name === 'ordinal_clouddatabase_rotation_overdue')
      .map((sample) => sample.value);
  expect(samplesFor(conditions)).toEqual([value]);
  expect(samplesFor([])).toEqual([]);
});
