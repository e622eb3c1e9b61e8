import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { isApiError, mergePatch } from '@ordinal/client';
import type { ReconcileContext } from '@ordinal/runtime';
import type { SealStatus } from '../decision/index.ts';
import { actionErrorOf } from '../decision/failure.ts';

/** Whose status is written, and how it follows from the present one. */
export interface WriteBack<Read extends KubernetesObject, Write extends KubernetesObjectInput> {
  readonly descriptor: ResourceDescriptor<Read, Write>;
  /** The object as it was when the call was decided. */
  readonly object: KubernetesObject;
  readonly statusAfter: (fresh: Read & { readonly status?: object }) => object;
  /** What is written on a status that is not believed is not sealed: the next reconcile finds it out again. */
  readonly seal: SealStatus;
}

const attempts = 5;

/**
 * Writes what a call outside has taught, on the object as it is now. A conflict means only that another client wrote too, so it is tried again: what was
 * learnt stays true. An object that is gone, or another one by the same name, needs no status.
 *
 * @throws ActionError when the API server does not take it; the next look outside then finds the same out.
 */
export async function writeBack<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  { descriptor, object, statusAfter, seal }: WriteBack<Read, Write>,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<void> {
  const { namespace = '', name, uid } = object.metadata;
  const resource = client(descriptor).in(namespace);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const fresh = await resource.find(name, { signal });
      if (fresh?.metadata.uid !== uid) return;
      const { status } = fresh as { readonly status?: object }; // Every kind that we keep a record in has a status.
      const patch = mergePatch(status, seal({ descriptor, object: fresh, status: statusAfter(fresh) }));
      if (!patch) return;
      try {
        const body = { metadata: { resourceVersion: fresh.metadata.resourceVersion }, status: patch };
        await resource.status.patch(name, { type: 'merge', body }, { signal });
        return;
      } catch (error) {
        if (isApiError(error, 'NotFound')) return;
        if (!isApiError(error, 'Conflict') || attempt === attempts) throw error;
      }
    }
  } catch (cause) {
    throw actionErrorOf(`recording a call for ${descriptor.kind} ${namespace}/${name}`, cause);
  }
}
