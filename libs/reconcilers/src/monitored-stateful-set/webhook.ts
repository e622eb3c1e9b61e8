import type { MonitoredStatefulSet } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { validateMonitoredStatefulSet } from './validate.ts';

/** What the operator's webhooks ask of MonitoredStatefulSets. */
export const monitoredStatefulSetWebhook: KindWebhook<MonitoredStatefulSet> = {
  admit: (request) => admitSpec(request, { validate: validateMonitoredStatefulSet }),
  creates: ({ spec }) => ['StatefulSet', ...(spec.cleanupJob === undefined ? [] : (['Job'] as const))],
};
