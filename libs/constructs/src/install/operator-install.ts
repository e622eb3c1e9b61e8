import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { grantAccess } from './access.ts';
import { monitorOperator } from './monitoring.ts';
import { exposeOperator, restrictNetwork } from './network.ts';
import { operatorLabels, type OperatorInstallOptions, type Permissions } from './options.ts';
import { registerWebhooks, type ValidatedKind } from './webhooks.ts';
import { runOperator } from './workload.ts';

/** What an installation is made of that is not a choice: it comes from the kinds and the controllers. */
export interface Installed {
  readonly version: string;
  readonly kinds: readonly ValidatedKind[];
  readonly permissions: Permissions;
  /** The CustomResourceDefinitions, whole. */
  readonly crds: readonly object[];
}

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
export class OperatorInstallChart extends Chart {
  constructor(scope: Construct, id: string, installed: Installed, options: OperatorInstallOptions = {}) {
    super(scope, id, { disableResourceNameHashes: true });
    const namespace = options.namespace ?? 'ordinal-system';
    const webhooks = options.webhooks ?? true;
    const watchNamespaces = options.watchNamespaces ?? [];
    if (options.crds ?? true) installed.crds.forEach((crd, index) => addCrd(this, crd, index));
    if (options.createNamespace ?? true) addNamespace(this, namespace);
    grantAccess(this, { namespace, watchNamespaces, permissions: options.permissions ?? installed.permissions });
    exposeOperator(this, namespace, { webhooks });
    if (options.networkPolicy ?? true) restrictNetwork(this, namespace);
    runOperator(this, {
      ...options,
      namespace,
      image: options.image ?? `docker.io/ordinal/operator:${installed.version}`,
      replicas: options.replicas ?? 2,
      flags: [
        ...(watchNamespaces.length > 0 ? [`--namespaces=${watchNamespaces.join(',')}`] : []),
        ...(webhooks ? [] : ['--webhooks=false']),
        ...(options.flags ?? []),
      ],
    });
    if (webhooks) registerWebhooks(this, { namespace, kinds: installed.kinds });
    if (options.monitoring ?? false) monitorOperator(this, namespace);
  }
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

function addCrd(scope: Construct, crd: object, index: number): void {
  // A CRD is an API object like any other; what it holds stands in its own file.
  new ApiObject(scope, `crd-${index}`, crd as { apiVersion: string; kind: string });
}
