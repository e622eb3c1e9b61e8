import { mergePatch } from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import type { ReconcileContext } from '../reconciler.ts';

/** An object with a status, of any form. */
export interface WithStatus extends KubernetesObject {
  readonly status?: unknown;
}

/**
 * Writes a status, where it differs from the object's own, and returns the object as it then is. `status` is the whole of it: what it leaves out is
 * removed. Only the difference is sent, with the resource version and UID that were read, so that a status that was worked out from an old state,
 * or by a leader that is none any more, is refused (`Conflict`).
 */
export async function patchStatus<Read extends WithStatus, Write extends KubernetesObjectInput>(
  { client }: Pick<ReconcileContext, 'client'>,
  descriptor: ResourceDescriptor<Read, Write>,
  object: Read,
  status: Read['status'],
): Promise<Read> {
  const difference = mergePatch(object.status, status ?? {});
  if (difference === undefined) return object;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return await client(descriptor)
    .in(namespace ?? '')
    .status.patch(name, { type: 'merge', body: { metadata: { uid, resourceVersion }, status: difference } });
}
