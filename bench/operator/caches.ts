import type { Condition, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';

/** The status that the contender writes. */
export interface ClusteredCacheStatus {
  readonly readyReplicas?: number;
  readonly currentVersion?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** A resource of the benchmark, as it is read. */
export interface ClusteredCache extends KubernetesObject {
  readonly spec: { readonly replicas: number; readonly image: string };
  readonly status?: ClusteredCacheStatus;
}

/** A resource of the benchmark, as it is written. */
export interface ClusteredCacheInput extends KubernetesObjectInput {
  readonly spec: ClusteredCache['spec'];
}

/** The benchmark's own CRD (`crd.yaml` beside the harness), which has fewer fields than the project's. */
export const clusteredCaches: ResourceDescriptor<ClusteredCache, ClusteredCacheInput> = {
  group: 'cache.my.domain',
  version: 'v1',
  kind: 'ClusteredCache',
  plural: 'clusteredcaches',
  scope: 'Namespaced',
  subresources: { status: true },
};
