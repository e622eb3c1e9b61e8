import type { KVStoreClusterSpecInput } from '@ordinal/api';
import type { ChildMetadata, Owner } from '../workload/index.ts';
import { childLabels, managedBy, ownerUidLabel, selectorLabels } from '../workload/index.ts';

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

/** A cluster as far as its labels go; without a spec where it is gone. */
export interface KVStoreNamed {
  readonly name: string;
  readonly spec?: Pick<KVStoreClusterSpecInput, 'adopt'>;
}

/** The labels that select a cluster's members: those of the StatefulSet that it has taken over, or its own. */
export function kvStoreSelector({ name, spec }: KVStoreNamed): Record<string, string> {
  return spec?.adopt ? { ...spec.adopt.selector } : selectorLabels(labelled(name));
}

/** On the pods and claims of a StatefulSet that a cluster has taken over: the cluster's name. Their other labels are those of its former owner. */
export const storeTakenOverByLabel = 'kvstore.example.com/taken-over-by';

/** What the operator adds to the labels of pods and claims that a cluster has taken over: it sees none without them. */
export const takenOverLabels = (name: string): Record<string, string> => ({
  [storeTakenOverByLabel]: name,
  'app.kubernetes.io/managed-by': managedBy,
});

/** The labels of a cluster's pods. */
export function kvStorePodLabels(named: KVStoreNamed): Record<string, string> {
  return named.spec?.adopt
    ? { ...kvStoreSelector(named), ...takenOverLabels(named.name) }
    : childLabels(labelled(named.name));
}

/** The name of the governing service. */
export const kvStoreServiceName = ({ name, spec }: KVStoreNamed): string => spec?.adopt?.serviceName ?? name;

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
