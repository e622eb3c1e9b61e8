import type { MonitoredStatefulSet } from '@ordinal/api';
import { expect, test } from 'vitest';
import { monitoredStatefulSetMetrics } from './metrics.ts';

test.each([
  ['False', 'AsWanted', 0],
  ['True', 'NameTaken', 1],
  ['True', 'CleanupFailed', 1],
])('Degraded=%s, %s is an error: %i', (status, reason, value) => {
  const conditions = [{ type: 'Degraded', status, reason, message: '', lastTransitionTime: '' }];
  const set = {
    metadata: { name: 'orders', namespace: 'shop' },
    status: { conditions },
  } as unknown as MonitoredStatefulSet; // All that is read of it.
  expect(monitoredStatefulSetMetrics([set])).toMatchObject([{ labels: { namespace: 'shop', name: 'orders' }, value }]);
});
