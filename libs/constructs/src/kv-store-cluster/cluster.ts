import type { KVStoreClusterSpecInput } from '@ordinal/api';
import type { ChildMetadata, Owner } from '../workload/index.ts';
import { childLabels, ownerUidLabel, selectorLabels } from '../workload/index.ts';

/** A cluster to build children for: its name and place, what it asks for, and the owner of the children, if there is one. */
export interface KVStoreToBuild {
  readonly name: string;
  readonly namespace?: string;
  readonly spec: KVStoreClusterSpecInput;
  readonly owner?: Owner;
}

/** The repository of the image where the spec names none, as in the API. */
const defaultImage = 'my-repo/kvstore';

const labelled = (name: string) => ({ application: 'kv-store-cluster', instance: name });

/** The labels that select a cluster's members. */
export function kvStoreSelector(name: string): Record<string, string> {
  return selectorLabels(labelled(name));
}

/** Name, place, labels and owner of a child that goes with the cluster. The suffix distinguishes it from the others of its kind. */
export function kvStoreChild({ name, namespace, owner }: KVStoreToBuild, suffix = ''): ChildMetadata {
  return {
    name: `${name}${suffix}`,
    labels: childLabels(labelled(name)),
    ...(namespace === undefined ? {} : { namespace }),
    ...(owner ? { owner } : {}),
  };
}

/** The labels of what must outlive the cluster: found by them, and not by an owner reference, which the garbage collector would follow. */
export function outlivingLabels({ name, owner }: KVStoreToBuild): Record<string, string> {
  return { ...childLabels(labelled(name)), ...(owner ? { [ownerUidLabel]: owner.uid } : {}) };
}

/** The whole image of a version. */
export function kvStoreImage(spec: Pick<KVStoreClusterSpecInput, 'image'>, version: string): string {
  return `${spec.image ?? defaultImage}:${version}`;
}
