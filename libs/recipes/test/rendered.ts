import type { KVStoreClusterProps } from '@ordinal/constructs';
import { Chart, Testing } from 'cdk8s';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** What constructs in a chart render: the manifests, and the same as YAML. */
export function rendered(add: (chart: Chart) => void): {
  readonly manifests: readonly Manifest[];
  readonly yaml: string;
} {
  const app = Testing.app();
  const chart = new Chart(app, 'shop', { namespace: 'shop' });
  add(chart);
  return { manifests: Testing.synth(chart) as Manifest[], yaml: app.synthYaml() };
}

/** What a recipe on a KVStoreCluster renders. */
export function renderedStore(add: (chart: Chart) => void) {
  const { manifests, yaml } = rendered(add);
  const [scripts, resource] = manifests;
  return { scripts, resource, spec: resource?.spec as KVStoreClusterProps['spec'], yaml };
}
