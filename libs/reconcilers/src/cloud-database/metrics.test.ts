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
