import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import { SealedStatuses, secretProtection, watchedSecrets } from '@ordinal/lifecycle';
import { controller, withFields } from '@ordinal/runtime';
import type { ControllerDefinition, HandlerContext } from '@ordinal/runtime';
import type { Kind } from '../kind.ts';
import { databaseMemory } from './memory.ts';
import { cloudDatabaseGauges, cloudDatabaseMetrics } from './metrics.ts';
import { CloudDatabaseReconciler } from './reconcile.ts';
import type { CloudDatabaseOptions } from './reconcile.ts';
import { importIndex, importKeys } from './rival.ts';
import { connectionSecretName } from './spec.ts';
import { cloudDatabaseWebhook } from './webhook.ts';

/** The controllers of CloudDatabase: the one that keeps databases, and the one that keeps their providers' Secrets as long as they are needed. */
export function cloudDatabaseControllers(options: CloudDatabaseOptions): readonly ControllerDefinition[] {
  const reconciler = new CloudDatabaseReconciler(options);
  const statuses = new SealedStatuses(databaseMemory, options.seals);
  const databases = controller('cloud-database')
    .for(cloudDatabases, {
      indexes: {
        byProviderSecret: providerSecretKeys,
        byConnectionSecret: connectionSecretKeys,
        // No database is kept from its owner by what another client has written into a status.
        [importIndex]: (database) => (statuses.trusts(database) ? importKeys(database) : []),
      },
    })
    .watches(watchedSecrets, wakers)
    .writes(cloudDatabases, ['patch'])
    .writes(cloudDatabases, ['patch'], 'status')
    .writes(cloudDatabases, ['update'], 'finalizers')
    .writes(secrets, ['create', 'patch'])
    .options({ concurrency: 10, timeoutMs: 60_000, ...options.controller })
    .reconcile((key, context) => reconciler.reconcile(key, context));
  const protection = secretProtection('cloud-database-secrets', {
    descriptor: withFields(cloudDatabases, ['spec.providerRef']),
    secretNames: ({ spec }) => (spec.providerRef === undefined ? [] : [spec.providerRef.name]),
  });
  return [databases, protection];
}

const providerSecretKeys = ({ metadata, spec }: CloudDatabase): string[] =>
  spec.providerRef === undefined ? [] : [`${metadata.namespace ?? ''}/${spec.providerRef.name}`];

const connectionSecretKeys = (database: CloudDatabase): string[] => [
  `${database.metadata.namespace ?? ''}/${connectionSecretName(database)}`,
];

/** A Secret wakes exactly the databases that refer to it, and those whose connection it holds, or whose connection's place it takes. */
function wakers({ metadata }: KubernetesObject, { primary, cache }: HandlerContext): ObjectKey[] {
  const namespace = metadata.namespace ?? '';
  const key = `${namespace}/${metadata.name}`;
  const woken = [
    ...cache.byIndex(primary, 'byProviderSecret', key),
    ...cache.byIndex(primary, 'byConnectionSecret', key),
  ];
  return woken.map(({ metadata: { name } }) => ({ namespace, name }));
}

/** CloudDatabase: a database of a provider outside of the cluster. */
export const cloudDatabaseKind: Kind<CloudDatabase> = {
  name: 'cloud-database',
  descriptor: cloudDatabases,
  controllers: cloudDatabaseControllers,
  webhook: cloudDatabaseWebhook,
  metrics: { gauges: cloudDatabaseGauges, samples: cloudDatabaseMetrics },
};
