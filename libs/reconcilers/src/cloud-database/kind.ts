import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import type { Kind } from '../kind.ts';
import { cloudDatabaseControllers } from './reconcile.ts';
import { cloudDatabaseGauges, cloudDatabaseMetrics } from './metrics.ts';
import { cloudDatabaseWebhook } from './webhook.ts';

/** CloudDatabase: a database of a provider outside of the cluster. */
export const cloudDatabaseKind: Kind<CloudDatabase> = {
  name: 'cloud-database',
  descriptor: cloudDatabases,
  controllers: cloudDatabaseControllers,
  webhook: cloudDatabaseWebhook,
  metrics: { gauges: cloudDatabaseGauges, samples: cloudDatabaseMetrics },
};
