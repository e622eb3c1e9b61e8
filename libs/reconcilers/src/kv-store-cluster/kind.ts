import { kvStoreClusters } from '@ordinal/api';
import type { KVStoreCluster } from '@ordinal/api';
import type { Kind } from '../kind.ts';
import { kvStoreClusterController } from './reconcile.ts';
import { kvStoreClusterGauges, kvStoreClusterMetrics } from './metrics.ts';
import { kvStoreClusterWebhook } from './webhook.ts';

/** KVStoreCluster: a store with backups, canaries and volumes. */
export const kvStoreClusterKind: Kind<KVStoreCluster> = {
  name: 'kv-store-cluster',
  descriptor: kvStoreClusters,
  controllers: (environment) => [kvStoreClusterController(environment)],
  webhook: kvStoreClusterWebhook,
  metrics: { gauges: kvStoreClusterGauges, samples: kvStoreClusterMetrics },
};
