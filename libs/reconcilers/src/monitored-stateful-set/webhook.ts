import type { MonitoredStatefulSet } from '@ordinal/api';
import { admitSpec } from '@ordinal/lifecycle';
import type { SpecRequest } from '@ordinal/lifecycle';
import type { Verdict } from '@ordinal/runtime/webhooks';
import { validateMonitoredStatefulSet } from './validate.ts';

/** What the validating webhook answers to a new or changed MonitoredStatefulSet. Pure. */
export const admitMonitoredStatefulSet = (request: SpecRequest<MonitoredStatefulSet>): Verdict =>
  admitSpec(request, { validate: validateMonitoredStatefulSet });
