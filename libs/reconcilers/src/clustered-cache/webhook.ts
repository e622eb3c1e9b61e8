import type { ClusteredCache } from '@ordinal/api';
import { upgradeTasks } from '@ordinal/constructs';
import { DisruptionGate, admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { hasGateJobs, warningsOfUpgrade } from '../upgrade-webhook.ts';
import { protectCaches } from './disruption.ts';
import { validateClusteredCache } from './validate.ts';

/** What the operator's webhooks ask of ClusteredCaches: of their specs, and of the deletion of their members. */
export const clusteredCacheWebhook: KindWebhook<ClusteredCache> = {
  admit: (request) =>
    admitSpec(request, { validate: validateClusteredCache, warnings: ({ spec }) => warningsOfUpgrade(spec) }),
  creates: ({ spec }) => [
    'StatefulSet',
    ...(spec.adopt ? (['AdoptedStatefulSet'] as const) : []),
    ...(upgradeTasks(spec).length > 0 || hasGateJobs(spec) ? (['Job'] as const) : []),
  ],
  gates: {
    disruption: (environment) => new DisruptionGate({ ...environment, protection: protectCaches(environment) }),
  },
};
