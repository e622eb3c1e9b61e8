import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { ClusteredCacheDefinition } from '../generated/cache.my.domain/definitions.ts';
import { CloudDatabaseDefinition } from '../generated/db.example.com/definitions.ts';
import { KVStoreClusterDefinition } from '../generated/kvstore.example.com/definitions.ts';
import { MonitoredStatefulSetDefinition } from '../generated/statefulsets.example.com/definitions.ts';
import { grantAccess, leaseNamesOf, namedIn } from './access.ts';
import { showDashboards } from './dashboards.ts';
import { protectDefinitions } from './definitions.ts';
import { operatorPermissions, operatorVersion } from './generated/permissions.ts';
import { monitorOperator } from './monitoring.ts';
import { exposeOperator, restrictNetwork } from './network.ts';
import { holdToPodSecurity } from './pod-security.ts';
import { keepOut, reservedNamespaces } from './reserved-namespaces.ts';
import { operatorLabels, operatorName, type Installation, type OperatorInstallOptions } from './options.ts';
import { pinWebhooks } from './webhook-configuration.ts';
import { admissionKinds, registerWebhooks } from './webhooks.ts';
import { runOperator } from './workload.ts';

/**
 * The operator's whole installation: CRDs, namespace, service account and permissions, Deployment, webhooks, network policy and, on request, monitoring and dashboards.
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
    const installation = { name: nameOf(options), namespace: options.namespace ?? 'ordinal-system' };
    const webhooks = options.webhooks ?? true;
    const watchNamespaces = options.watchNamespaces ?? [];
    if (options.crds ?? true) {
      defineKinds(this);
      protectDefinitions(this);
    }
    if (options.createNamespace ?? true) addNamespace(this, installation);
    const leaseNames = leaseNamesOf(options.leaseName ?? installation.name, options.shareWork ?? false);
    const permissions = namedIn({ ...installation, leaseNames }, options.permissions ?? operatorPermissions);
    const reserved = reservedNamespaces({ ...options, ...installation, watchNamespaces });
    grantAccess(this, { ...installation, watchNamespaces, permissions });
    keepOut(this, { ...installation, reserved, own: permissions.own });
    holdToPodSecurity(this, installation, options.podSecurity ?? 'baseline');
    exposeOperator(this, installation, { webhooks });
    if (options.networkPolicy ?? true) restrictNetwork(this, installation);
    runOperator(this, {
      ...options,
      ...installation,
      image: options.image ?? `docker.io/ordinal/operator:${operatorVersion}`,
      replicas: options.replicas ?? 2,
      webhooks,
      flags: flagsOf(options),
    });
    if (webhooks) {
      pinWebhooks(this, installation);
      registerWebhooks(this, { ...installation, watchNamespaces, reserved, kinds: admissionKinds });
    }
    observe(this, installation, options);
  }
}

const namePattern = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;

/** The installation's name, which has to make names of Services and users. */
function nameOf({ name = operatorName }: OperatorInstallOptions): string {
  if (namePattern.test(name)) return name;
  throw new RangeError(
    `the name of an installation is of up to 40 lower-case letters, digits and dashes, and begins with a letter, not ${JSON.stringify(name)}`,
  );
}

/** The flags of the program that differ from its defaults. */
function flagsOf({
  name = operatorName,
  watchNamespaces = [],
  shareWork = false,
  leaseName,
  shard,
  reservedNamespaces: reserved = [],
  flags = [],
}: OperatorInstallOptions): string[] {
  return [
    ...(name === operatorName ? [] : [`--installation=${name}`]),
    ...(watchNamespaces.length > 0 ? [`--namespaces=${watchNamespaces.join(',')}`] : []),
    ...(reserved.length > 0 ? [`--reserved-namespaces=${reserved.join(',')}`] : []),
    ...(shareWork ? ['--share-work'] : []),
    ...(leaseName === undefined ? [] : [`--lease-name=${leaseName}`]),
    ...(shard === undefined ? [] : [`--shard=${shard}`]),
    ...flags,
  ];
}

/** What is there on request alone. */
function observe(
  scope: Construct,
  installation: Installation,
  { monitoring = false, dashboards = false, runbooks }: OperatorInstallOptions,
): void {
  if (monitoring) monitorOperator(scope, { ...installation, runbooks });
  if (dashboards) showDashboards(scope, installation);
}

function addNamespace(scope: Construct, installation: Installation): void {
  new ApiObject(scope, 'namespace', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: installation.namespace,
      labels: { ...operatorLabels(installation), 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  });
}

function defineKinds(scope: Construct): void {
  new ClusteredCacheDefinition(scope, 'clustered-cache-definition');
  new KVStoreClusterDefinition(scope, 'kv-store-cluster-definition');
  new MonitoredStatefulSetDefinition(scope, 'monitored-stateful-set-definition');
  new CloudDatabaseDefinition(scope, 'cloud-database-definition');
}
