import type { MonitoredStatefulSet } from '@ordinal/api';
import { upgradeTasks } from '@ordinal/constructs';
import { DisruptionGate, admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { hasGateJobs, warningsOfUpgrade } from '../upgrade-webhook.ts';
import { protectSets } from './disruption.ts';
import { replicasOf } from './members.ts';
import { validateMonitoredStatefulSet } from './validate.ts';

/** What the operator's webhooks ask of MonitoredStatefulSets: of their specs, and of the deletion of members that the operator upgrades. */
export const monitoredStatefulSetWebhook: KindWebhook<MonitoredStatefulSet> = {
  admit: (request) =>
    admitSpec(request, {
      validate: validateMonitoredStatefulSet,
      // No preStop hook is made from a hand-off: the template is the user's.
      warnings: (set) =>
        warningsOfUpgrade({ replicas: replicasOf(set), upgrade: { gates: set.spec.upgrade?.gates ?? [] } }),
    }),
  creates: ({ spec }) => {
    const makesJobs = spec.cleanupJob !== undefined || upgradeTasks(spec).length > 0 || hasGateJobs(spec);
    return [
      'StatefulSet',
      ...(spec.adopt ? (['AdoptedStatefulSet'] as const) : []),
      ...(makesJobs ? (['Job'] as const) : []),
    ];
  },
  gates: {
    disruption: (environment) => new DisruptionGate({ ...environment, protection: protectSets(environment) }),
  },
};
