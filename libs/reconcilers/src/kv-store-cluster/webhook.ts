import type { KVStoreCluster } from '@ordinal/api';
import { tasksOf } from '@ordinal/constructs';
import { DisruptionGate, admitSpec } from '@ordinal/lifecycle';
import type { KindWebhook } from '../kind.ts';
import { hasGateJobs, warningsOfUpgrade } from '../upgrade-webhook.ts';
import { NamespaceGate } from './backup/namespace-deletion.ts';
import { protectClusters } from './disruption.ts';
import { validateKVStoreCluster } from './validate.ts';

/** What the operator's webhooks ask of KVStoreClusters: of their specs, of the deletion of their members, and of namespaces that wait for their backups. */
export const kvStoreClusterWebhook: KindWebhook<KVStoreCluster> = {
  admit: (request) =>
    admitSpec(request, { validate: validateKVStoreCluster, warnings: ({ spec }) => warningsOfUpgrade(spec) }),
  creates: ({ spec }) => [
    'StatefulSet',
    ...(spec.adopt ? (['AdoptedStatefulSet'] as const) : []),
    ...(tasksOf(spec).length > 0 || hasGateJobs(spec) ? (['Job'] as const) : []),
  ],
  gates: {
    disruption: (environment) => new DisruptionGate({ ...environment, protection: protectClusters(environment) }),
    namespaces: (environment) => new NamespaceGate(environment),
  },
};
