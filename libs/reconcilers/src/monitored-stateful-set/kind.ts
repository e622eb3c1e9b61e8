import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Kind } from '../kind.ts';
import { monitoredStatefulSetControllers } from './reconcile.ts';
import { monitoredStatefulSetGauges, monitoredStatefulSetMetrics } from './metrics.ts';
import { monitoredStatefulSetWebhook } from './webhook.ts';

/** MonitoredStatefulSet: a StatefulSet that is registered with a monitoring service. */
export const monitoredStatefulSetKind: Kind<MonitoredStatefulSet> = {
  name: 'monitored-stateful-set',
  descriptor: monitoredStatefulSets,
  controllers: monitoredStatefulSetControllers,
  webhook: monitoredStatefulSetWebhook,
  metrics: { gauges: monitoredStatefulSetGauges, samples: monitoredStatefulSetMetrics },
};
