/** A reference from an object to its owner, as the garbage collector reads it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What an object's author may say in its metadata. */
export interface ObjectMetaInput {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly resourceVersion?: string;
  readonly uid?: string;
}

/** Metadata as the API server returns it. */
export interface ObjectMeta extends ObjectMetaInput {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Which fields of an object a manager has set, and how. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** Any object as the API server returns it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Any object as it is written: what the server fills in is left out. */
export interface KubernetesObjectInput {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetaInput;
}

/** A condition by the Kubernetes API conventions (`metav1.Condition`). */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** When `status` last changed, and only then. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** An object's place: its namespace (empty for cluster-scoped kinds) and name. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}
