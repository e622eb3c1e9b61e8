import { clusteredCaches } from '@ordinal/api';
import type { ClusteredCache } from '@ordinal/api';
import type { Kind } from '../kind.ts';
import { clusteredCacheController } from './controller.ts';
import { clusteredCacheGauges, clusteredCacheMetrics } from './metrics.ts';
import { clusteredCacheWebhook } from './webhook.ts';

/** ClusteredCache: members of a cache that are replaced one by one, each when its gates are open. */
export const clusteredCacheKind: Kind<ClusteredCache> = {
  name: 'clustered-cache',
  descriptor: clusteredCaches,
  controllers: (environment) => [clusteredCacheController(environment)],
  webhook: clusteredCacheWebhook,
  metrics: { gauges: clusteredCacheGauges, samples: clusteredCacheMetrics },
};
