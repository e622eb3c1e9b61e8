import { Construct } from 'constructs';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { Manifest } from '../workload/index.ts';
import {
  addManifest,
  childMetadata,
  disruptionBudget,
  headlessService,
  remembered,
  synthesize,
} from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import { kvStoreChild, kvStoreSelector } from './cluster.ts';
import type { KVStoreNow } from './stateful-set.ts';
import { kvStorePort, kvStoreStatefulSet } from './stateful-set.ts';

/** What a `KVStoreClusterWorkload` is made of. */
export interface KVStoreClusterWorkloadProps extends KVStoreToBuild {
  /** What holds for now only. The reconciler says it; an app does not need to. */
  readonly now?: KVStoreNow;
}

/**
 * The children of a KVStoreCluster: its services, its disruption budget and its StatefulSet. The operator creates exactly these; an app can create
 * them without the operator, and then has plain rolling updates and no backups.
 *
 * @example
 * new KVStoreClusterWorkload(chart, 'orders', { name: 'orders', spec: { version: '1.2.0', replicas: 3, storage: { className: 'fast', size: '10Gi' } } });
 */
export class KVStoreClusterWorkload extends Construct {
  constructor(scope: Construct, id: string, props: KVStoreClusterWorkloadProps) {
    super(scope, id);
    const client = clientService(props);
    const selector = kvStoreSelector(props);
    // A StatefulSet that was taken over has one.
    if (!props.spec.adopt)
      addManifest(this, headlessService(kvStoreChild(props), { selector, ports: servicePorts(props) }));
    if (client) addManifest(this, client);
    addManifest(this, disruptionBudget(kvStoreChild(props), { selector, maxUnavailable: 1 }));
    addManifest(this, kvStoreStatefulSet(props, props.now));
  }
}

/** The manifests of a KVStoreCluster's children, through the construct, in the order in which they are applied. */
export const synthesizeKVStoreCluster = remembered((props: KVStoreClusterWorkloadProps): readonly Manifest[] =>
  synthesize((scope) => {
    new KVStoreClusterWorkload(scope, 'cluster', props);
  }),
);

const servicePorts = ({ spec }: KVStoreToBuild) =>
  spec.port === undefined ? [] : [{ name: 'client', port: spec.port, targetPort: kvStorePort(spec) }];

function clientService(cluster: KVStoreToBuild): Service | undefined {
  if (cluster.spec.port === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(kvStoreChild(cluster, '-client')),
    spec: { type: 'ClusterIP', selector: kvStoreSelector(cluster), ports: servicePorts(cluster) },
  };
}
