import type { ResourceDescriptor } from '../descriptor.ts';
import { apiVersionOf } from '../descriptor.ts';
import { TransportError } from '../error.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';

const metadataAccept = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
};

/** The header that asks for the representation which the descriptor wants; a server that can't give it refuses. */
export function acceptFor(descriptor: ResourceDescriptor, form: 'object' | 'list'): Readonly<Record<string, string>> {
  return descriptor.representation === 'metadata' ? { accept: metadataAccept[form] } : {};
}

/**
 * The object as the descriptor names it. The entries of a list of a built-in kind come without kind and apiVersion, and objects of which only the metadata is
 * read come under another kind. Throws a `TransportError` (`MalformedReply`) for what is no object at all.
 */
export function objectOf<Read extends KubernetesObject>(
  value: unknown,
  descriptor: ResourceDescriptor<Read, KubernetesObjectInput>,
): Read {
  const object = value as { apiVersion?: string; kind?: string; metadata?: unknown } | null; // Checked below.
  if (
    typeof object !== 'object' ||
    object === null ||
    typeof object.metadata !== 'object' ||
    object.metadata === null
  ) {
    throw new TransportError('MalformedReply', `the reply is no ${descriptor.kind}: it has no metadata`);
  }
  if (object.kind === undefined || descriptor.representation === 'metadata') {
    object.apiVersion = apiVersionOf(descriptor);
    object.kind = descriptor.kind;
  }
  // The descriptor says which type the server returns for the kind; the server validates what it stores against the same schema.
  return object as unknown as Read;
}
