import type {
  CloudDatabaseInput,
  ClusteredCacheInput,
  KVStoreClusterInput,
  MonitoredStatefulSetInput,
} from '@ordinal/api';
import type { SecretInput } from '@ordinal/client';

/** What the cluster brings along: which software runs, and where things are. */
export interface Surroundings {
  readonly namespace: string;
  readonly storageClass: string;
  readonly monitorEndpoint: string;
  readonly cloudEndpoint: string;
  readonly cloudToken: string;
  /** The image of the cache before and after its upgrade. */
  readonly cache: readonly [before: string, after: string];
  /** The repository of the store, and its versions before and after. */
  readonly store: { readonly image: string; readonly before: string; readonly after: string };
  /** The image and the command that judge a canary. */
  readonly analysis: { readonly image: string; readonly command: readonly string[] };
  /** The image of the monitored set. */
  readonly databaseImage: string;
  /** Whether the members of the cache show their roles by a label, and hand them over. */
  readonly hasRoles?: boolean;
  /** What the members run, where that is not what their images start by themselves. */
  readonly commands?: Readonly<Record<'cache' | 'store' | 'monitored', readonly string[]>>;
}

/** The names of the four resources, as the documents that asked for them have them. */
export const names = {
  cache: 'my-cache',
  /** The member of the cache that lags behind while its gate is closed. */
  lagging: 'my-cache-1',
  store: 'my-cluster',
  monitored: 'my-prod-db',
  database: 'my-prod-db',
} as const;

/** The port of a cache's member. */
export const cachePort = 6379;

/** The label by which a member of the cache shows its role. */
export const roleLabel = 'role';

/** The Secret with the account at the cloud, and the one that a database's users read. */
export const secretNames = { account: 'cloud-account', connection: 'my-prod-db-connection' } as const;

const commandOf = (command: readonly string[] | undefined): { command?: string[] } =>
  command === undefined ? {} : { command: [...command] };

/** Three members that are replaced one at a time, each only when its peers can do without it. */
export function cacheSample({ namespace, cache: [image], commands, hasRoles }: Surroundings): ClusteredCacheInput {
  // Through the API server: the operator of the demo runs outside of the cluster and reaches no pod by its address.
  const http = (path: string) => ({ path, via: 'Proxy' as const });
  const roles = { role: { label: roleLabel }, handoff: { http: http('/hand-over') }, order: 'LeaderLast' as const };
  return {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name: names.cache, namespace },
    spec: {
      replicas: 3,
      image,
      port: cachePort,
      upgrade: {
        gates: [{ name: 'ready-for-shutdown', http: http('/ready-for-shutdown') }],
        ...(hasRoles === true && roles),
      },
      podTemplate: {
        spec: {
          terminationGracePeriodSeconds: 5,
          containers: [{ name: 'cache', readinessProbe: { periodSeconds: 1 }, ...commandOf(commands?.cache) }],
        },
      },
    },
  };
}

/** Three members with volumes; a new version has to prove itself on one of them first. */
export function storeSample({ namespace, storageClass, store, analysis, commands }: Surroundings): KVStoreClusterInput {
  return {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: names.store, namespace },
    spec: {
      image: store.image,
      version: store.before,
      replicas: 3,
      storage: { className: storageClass, size: '1Gi' },
      upgradeStrategy: 'Canary',
      canary: { analysis: { job: { image: analysis.image, command: [...analysis.command], retries: 0 } } },
      deletionPolicy: 'Delete',
      ...(commands && {
        podTemplate: {
          spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'kvstore', ...commandOf(commands.store) }] },
        },
      }),
    },
  };
}

/** A StatefulSet that a monitoring service has to know. */
export function monitoredSample({
  namespace,
  monitorEndpoint,
  databaseImage,
  commands,
}: Surroundings): MonitoredStatefulSetInput {
  const labels = { app: names.monitored };
  return {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name: names.monitored, namespace },
    spec: {
      monitorEndpoint,
      statefulSetSpec: {
        replicas: 2,
        serviceName: names.monitored,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 5,
            containers: [{ name: 'db', image: databaseImage, ...commandOf(commands?.monitored) }],
          },
        },
      },
    },
  };
}

/** A database at a cloud. */
export function databaseSample({ namespace }: Surroundings): CloudDatabaseInput {
  return {
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name: names.database, namespace },
    spec: {
      engine: 'postgres',
      size: 'small',
      providerRef: { name: secretNames.account },
      connectionSecretRef: { name: secretNames.connection },
      deletionPolicy: 'Delete',
    },
  };
}

/** The account at the cloud. */
export function accountSecret({ namespace, cloudEndpoint, cloudToken }: Surroundings): SecretInput {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretNames.account, namespace },
    stringData: { provider: 'http', endpoint: cloudEndpoint, token: cloudToken, settleSeconds: '0' },
  };
}
