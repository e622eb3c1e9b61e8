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
    spec: {},
    status: { conditions },
  } as unknown as MonitoredStatefulSet; // All that is read of it.
  const [sample] = monitoredStatefulSetMetrics([set], 0);
  expect(sample).toMatchObject({ labels: { namespace: 'shop', name: 'orders' }, value });
});

test.each<[string, object, string, number[]]>([
  ['that is registered', {}, 'True', [1]],
  ['that is not', {}, 'False', [0]],
  ['that is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'False', []],
  ['that is paused', { annotations: { 'ordinal.dev/paused': 'true' } }, 'False', []],
])('whether a set is registered, of one %s', (_what, more, status, values) => {
  const conditions = [{ type: 'MonitorRegistered', status, reason: 'R', message: '', lastTransitionTime: '' }];
  const metadata = { name: 'orders', namespace: 'shop', ...more };
  const set = { metadata, spec: {}, status: { conditions } } as unknown as MonitoredStatefulSet; // All that is read of it.
  const samples = monitoredStatefulSetMetrics([set], 0).filter(({ name }) => name.endsWith('_monitor_registered'));
  expect(samples.map(({ value }) => value)).toEqual(values);
});
