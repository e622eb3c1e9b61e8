import type { KubernetesObjectInput, MetadataObject, ObjectKey, Secret } from '@ordinal/client';
import { metadataOnly, secrets } from '@ordinal/client';
import type { AnnotationsDescriptor, ReconcileContext } from '@ordinal/runtime';
import { withAnnotations } from '@ordinal/runtime';

/**
 * Secrets as the caches keep them: their metadata alone. A cluster has Secrets of a megabyte that concern no object of ours, and anyone who may write one could
 * else fill the operator's memory.
 */
export const watchedSecrets: AnnotationsDescriptor<MetadataObject, KubernetesObjectInput> = withAnnotations(
  metadataOnly(secrets),
  [],
);

/**
 * A Secret with its data, as the API server has it now: never older than what the cache shows, by which the reconcile was woken. Undefined where the cache shows
 * none, or where it has just gone. Rejects where it can't be read: that says nothing about whether it is there.
 */
export async function readSecret(
  key: ObjectKey,
  { cache, client, signal }: Pick<ReconcileContext, 'cache' | 'client' | 'signal'>,
): Promise<Secret | undefined> {
  if (cache.get(watchedSecrets, key) === undefined) return undefined;
  return await client(secrets).namespace(key.namespace).find(key.name, { signal });
}

/** The values of a Secret, decoded. */
export function decodeSecret({ data }: Pick<Secret, 'data'>): Readonly<Record<string, string>> {
  const entries = Object.entries(data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
