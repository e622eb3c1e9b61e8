import type { KubernetesObject } from '@ordinal/client';
import type { ApiServer } from '../api-server/index.ts';
import type { LivePod } from '../controllers/kinds.ts';

/** Puts objects in the store as they are, and gives back the pods among them. Throws a `TypeError` for a kind that the server does not know. */
export function putObjects(objects: readonly KubernetesObject[], { resources, store }: ApiServer): readonly LivePod[] {
  const pods: LivePod[] = [];
  for (const object of objects) {
    const [version = '', group = ''] = object.apiVersion.split('/').reverse();
    const resource = resources.findKind(group, version, object.kind);
    if (resource === undefined) throw new TypeError(`the server knows no ${object.apiVersion} ${object.kind}`);
    const { namespace = '', name } = object.metadata;
    const stored = store.put(
      resource.storage,
      resource.namespaced ? `${namespace}/${name}` : name,
      (resourceVersion) => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion },
      }),
    );
    // What was read as a pod.
    if (resource.storage === 'pods') pods.push(stored as unknown as LivePod);
  }
  return pods;
}
