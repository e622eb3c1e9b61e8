import type { CloudDatabase } from '@ordinal/api';
import { expect, test } from 'vitest';
import { cloudDatabaseMetrics } from './metrics.ts';

test.each([
  ['True', 'Available', 0],
  ['Unknown', 'NotCreated', 0],
  ['False', 'Updating', 0],
  ['False', 'CallFailed', 1],
  ['False', 'OwnedByAnother', 1],
  ['False', 'InvalidSpec', 1],
])('Synced=%s, %s is an error: %i', (status, reason, value) => {
  const conditions = [{ type: 'Synced', status, reason, message: '', lastTransitionTime: '' }];
  const database = {
    metadata: { name: 'orders', namespace: 'shop' },
    status: { conditions },
  } as unknown as CloudDatabase; // All that is read of it.
  expect(cloudDatabaseMetrics([database])).toMatchObject([{ labels: { namespace: 'shop', name: 'orders' }, value }]);
});
