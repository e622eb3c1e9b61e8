import type { KubernetesObject, KubernetesObjectInput } from './object.ts';

/**
 * A kind as data: all that a client, a cache or a construct has to know of it. `ordinal-codegen` emits one for each served version of a CRD; for
 * built-in kinds they stand in this package; anyone can write one by hand.
 *
 * The type parameters exist for the compiler alone: `Read` is the object as the server returns it, `Write` as it is written.
 */
export interface ResourceDescriptor<
  Read extends KubernetesObject = KubernetesObject,
  Write extends KubernetesObjectInput = KubernetesObjectInput,
> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: { readonly status?: boolean; readonly scale?: ScaleSubresource };
  /** False where the server knows the version but does not answer for it. Absent: served. */
  readonly served?: boolean;
  /** False where objects are stored in another version. Absent: stored. */
  readonly storage?: boolean;
  /** The warning of a deprecated version. */
  readonly deprecated?: string;
  readonly printColumns?: readonly PrintColumn[];
  /** For each list with `x-kubernetes-list-type: map`, by its path (`spec.gates`): the keys that identify an entry. */
  readonly listMapKeys?: Readonly<Record<string, readonly string[]>>;
  /** Paths that can't be changed after creation (`self == oldSelf`). */
  readonly immutablePaths?: readonly string[];
  readonly selectableFields?: readonly string[];
  /** `metadata` where objects are read without anything but their metadata (`metadataOnly`). Absent: whole. */
  readonly representation?: 'metadata';
  /** Never present. Carries the types. */
  readonly types?: { readonly read: Read; readonly write: Write };
}

/** Where the scale subresource of a CRD reads and writes. */
export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A column that `kubectl get` shows. */
export interface PrintColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** The object as the server returns it, of a descriptor. */
export type ReadForm<D> = D extends ResourceDescriptor<infer Read, KubernetesObjectInput> ? Read : never;

/** The object as it is written, of a descriptor. */
export type WriteForm<D> = D extends ResourceDescriptor<KubernetesObject, infer Write> ? Write : never;

/** `apps/v1` or, in the core group, `v1`. */
export function apiVersionOf(descriptor: Pick<ResourceDescriptor, 'group' | 'version'>): string {
  return descriptor.group === '' ? descriptor.version : `${descriptor.group}/${descriptor.version}`;
}
