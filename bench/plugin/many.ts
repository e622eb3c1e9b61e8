import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { PluginWorld } from '../../tools/kubectl-ordinal/test/plugin-world.ts';
import { cacheNow, changeCache, readyCache, readyStore, until } from '../../tools/kubectl-ordinal/test/resources.ts';

const copied: readonly ResourceDescriptor[] = [
  clusteredCaches,
  kvStoreClusters,
  statefulSets,
  pods,
  persistentVolumeClaims,
];

const uid = /\b([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** The object under another name, with UIDs of its own: what belongs to it belongs to its copy. */
function copyOf(object: KubernetesObject, number: number): KubernetesObject {
  const otherUid = (text: string, start: string): string =>
    (Number.parseInt(start, 16) ^ number).toString(16).padStart(8, '0').slice(-8) + text.slice(8);
  const text = JSON.stringify(object)
    .replaceAll(/\b(sessions|carts)\b/g, `$1-${number}`)
    .replaceAll(uid, otherUid);
  return JSON.parse(text) as KubernetesObject; // Of the same shape.
}

/**
 * Half of so many resources are caches, in an upgrade that a gate holds, and half are stores; each has three members. One of each has come to this by the operator, and
 * the others are copies of it with all that belongs to them. The operator does not run any more: nothing changes by itself.
 */
export async function manyResources({ cluster, operator }: PluginWorld, count: number): Promise<void> {
  await readyStore(cluster);
  await readyCache(cluster, { image: 'cache:stubborn', storage: { className: 'standard', size: '1Gi' } });
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'the gate is closed', () => cacheNow(cluster)?.status?.upgrade?.blockedBy !== undefined);
  operator.crash();
  for (const { group, plural } of copied) {
    const kind = group === '' ? plural : `${plural}.${group}`;
    const { store } = cluster.server;
    for (const [, object] of store.snapshot(kind))
      for (let number = 1; number < count / 2; number += 1) {
        const copy = copyOf(object as unknown as KubernetesObject, number); // Of a kind of Kubernetes.
        const { metadata } = copy;
        const key = `${metadata.namespace ?? ''}/${metadata.name}`;
        store.put(kind, key, (resourceVersion) => ({ ...copy, metadata: { ...metadata, resourceVersion } }));
      }
  }
}
