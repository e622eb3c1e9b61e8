import type { Condition, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import type { ProcessingError } from '@ordinal/lifecycle';

/** A Website, as it is read. */
export interface Website extends KubernetesObject {
  readonly spec: { readonly page: string; readonly host: string; readonly replicas?: number };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly conditions?: readonly Condition[];
    readonly processingError?: ProcessingError;
  };
}

/** The kind of `crd.yaml`, written by hand; `ordinal-codegen` would make it of the CRD. */
export const websites: ResourceDescriptor<Website, KubernetesObjectInput & Pick<Website, 'spec'>> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  subresources: { status: true },
};
