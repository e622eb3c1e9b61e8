import type { ResourceDescriptor } from './descriptor.ts';
import type { KubernetesObject, KubernetesObjectInput } from './object.ts';

/** An object of which only the metadata was read: `PartialObjectMetadata`, under the kind's own name. */
export interface MetadataObject extends KubernetesObject {
  readonly spec?: never;
  readonly status?: never;
}

/**
 * The same kind, read without anything but its metadata, which costs the server and a cache a fraction. It holds for get, list and watch; writes
 * are not affected.
 */
export function metadataOnly<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  descriptor: ResourceDescriptor<Read, Write>,
): ResourceDescriptor<MetadataObject, Write> {
  // Its `types` are another's, and never there: they exist for the compiler alone.
  return { ...(descriptor as Omit<typeof descriptor, 'types'>), representation: 'metadata' };
}
