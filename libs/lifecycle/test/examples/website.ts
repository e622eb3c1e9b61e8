import type { Condition, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { ExternalRecord, ProcessingError, TaskRecord } from '@ordinal/lifecycle';

/** The kind of the examples. */
export interface Website extends KubernetesObject {
  readonly spec: { readonly page: string; readonly version: string; readonly size: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly processingError?: ProcessingError;
    readonly published?: TaskRecord;
    readonly database?: ExternalRecord;
    readonly lastReport?: string;
    readonly seal?: string;
  };
}

export const websites: ResourceDescriptor<Website> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  subresources: { status: true },
};

/** A Website, with what a test wants to be different. */
export const website = (change: Partial<Website['metadata']> = {}, status: Website['status'] = {}): Website => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: {
    namespace: 'web',
    name: 'hello',
    uid: 'u1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...change,
  },
  spec: { page: '<h1>Hello</h1>', version: '1.2', size: 'small' },
  status,
});
