import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { ClusteredCacheDefinition } from '../generated/cache.my.domain/definitions.ts';
import { CloudDatabaseDefinition } from '../generated/db.example.com/definitions.ts';
import { KVStoreClusterDefinition } from '../generated/kvstore.example.com/definitions.ts';
import { MonitoredStatefulSetDefinition } from '../generated/statefulsets.example.com/definitions.ts';
import { grantAccess } from './access.ts';
import { protectDefinitions } from './definitions.ts';
import { operatorPermissions, operatorVersion } from './generated/permissions.ts';
import { monitorOperator } from './monitoring.ts';
import { exposeOperator, restrictNetwork } from './network.ts';
import { operatorLabels, operatorName, type OperatorInstallOptions } from './options.ts';
import { admissionKinds, registerWebhooks } from './webhooks.ts';
import { runOperator } from './workload.ts';

/**
 * The operator's whole installation: CRDs, namespace, service account and permissions, Deployment, webhooks, network policy and, on request, monitoring.
 *
 * @example
 * ```ts
 * const app = new App();
 * new OperatorInstall(app, 'ordinal', { watchNamespaces: ['shop'] });
 * app.synth();
 * ```
 */
export class OperatorInstall extends Chart {
  constructor(scope: Construct, id: string, options: OperatorInstallOptions = {}) {
    super(scope, id, { disableResourceNameHashes: true });
    const namespace = options.namespace ?? 'ordinal-system';
    const webhooks = options.webhooks ?? true;
    const watchNamespaces = options.watchNamespaces ?? [];
    if (options.crds ?? true) {
      defineKinds(this);
      protectDefinitions(this);
    }
    if (options.createNamespace ?? true) addNamespace(this, namespace);
    grantAccess(this, {
      namespace,
      watchNamespaces,
      permissions: options.permissions ?? operatorPermissions,
      leaseName: options.leaseName ?? operatorName,
    });
    exposeOperator(this, namespace, { webhooks });
    if (options.networkPolicy ?? true) restrictNetwork(this, namespace);
    runOperator(this, {
      ...options,
      namespace,
      image: options.image ?? `docker.io/ordinal/operator:${operatorVersion}`,
      replicas: options.replicas ?? 2,
      flags: flagsOf(options),
    });
    if (webhooks) registerWebhooks(this, { namespace, kinds: admissionKinds });
    if (options.monitoring ?? false) monitorOperator(this, namespace);
  }
}

/** What the program is told, where it is not what it does by itself. */
function flagsOf({
  watchNamespaces = [],
  webhooks = true,
  leaseName,
  shard,
  flags = [],
}: OperatorInstallOptions): string[] {
  return [
    ...(watchNamespaces.length > 0 ? [`--namespaces=${watchNamespaces.join(',')}`] : []),
    ...(webhooks ? [] : ['--webhooks=false']),
    ...(leaseName === undefined ? [] : [`--lease-name=${leaseName}`]),
    ...(shard === undefined ? [] : [`--shard=${shard}`]),
    ...flags,
  ];
}

function addNamespace(scope: Construct, name: string): void {
  new ApiObject(scope, 'namespace', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { ...operatorLabels, 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  });
}

function defineKinds(scope: Construct): void {
  new ClusteredCacheDefinition(scope, 'clustered-cache-definition');
  new KVStoreClusterDefinition(scope, 'kv-store-cluster-definition');
  new MonitoredStatefulSetDefinition(scope, 'monitored-stateful-set-definition');
  new CloudDatabaseDefinition(scope, 'cloud-database-definition');
}
