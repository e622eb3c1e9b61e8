import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import type { ReconcileContext } from '../reconciler.ts';

/** Whether deletion has been asked for. The object stays until its last finalizer is gone. */
export function isBeingDeleted(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Whether the object has the finalizer. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Puts a finalizer on an object, and returns the object as it then is. Nothing is written where it is there already. The write carries the
 * resource version that was read, so it never overwrites the finalizers of others: `Conflict` where the object has changed meanwhile.
 */
export async function addFinalizer<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  { client }: Pick<ReconcileContext, 'client'>,
  descriptor: ResourceDescriptor<Read, Write>,
  object: Read,
  finalizer: string,
): Promise<Read> {
  if (hasFinalizer(object, finalizer)) return object;
  return await writeFinalizers({ client, descriptor, object }, [...(object.metadata.finalizers ?? []), finalizer]);
}

/**
 * Takes a finalizer off an object: only ever after the clean-up that it stands for has succeeded. The others stay. Nothing is written where it is
 * gone already. `Conflict` where the object has changed since it was read.
 */
export async function removeFinalizer<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  { client }: Pick<ReconcileContext, 'client'>,
  descriptor: ResourceDescriptor<Read, Write>,
  object: Read,
  finalizer: string,
): Promise<Read> {
  if (!hasFinalizer(object, finalizer)) return object;
  const rest = object.metadata.finalizers?.filter((one) => one !== finalizer) ?? [];
  return await writeFinalizers({ client, descriptor, object }, rest);
}

interface Target<Read extends KubernetesObject, Write extends KubernetesObjectInput> extends Pick<
  ReconcileContext,
  'client'
> {
  readonly descriptor: ResourceDescriptor<Read, Write>;
  readonly object: Read;
}

async function writeFinalizers<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  { client, descriptor, object }: Target<Read, Write>,
  finalizers: readonly string[],
): Promise<Read> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
  return await client(descriptor)
    .in(namespace ?? '')
    .patch(name, { type: 'merge', body });
}
