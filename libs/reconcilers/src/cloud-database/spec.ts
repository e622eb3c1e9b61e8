import type { CloudDatabase, CloudDatabaseSpec } from '@ordinal/api';
import type { ExternalPolicy } from '../external-resource/index.ts';
import { tokenOf } from '../external-resource/index.ts';

/** The seed's finalizer: on the object from before the first call at the provider until nothing of the database is left there. */
export const databaseFinalizer = 'db.example.com/finalizer';

/** The annotation that stops all work on an object, its deletion included, while it is `"true"`. */
export const pausedAnnotation = 'ordinal.dev/paused';

/** The annotation whose change asks for a look at once. */
export const reconcileRequestedAnnotation = 'ordinal.dev/reconcile-requested-at';

/** Whether somebody has stopped all work on the object. */
export function isPaused({ metadata }: Pick<CloudDatabase, 'metadata'>): boolean {
  return metadata.annotations?.[pausedAnnotation] === 'true';
}

/** The name of the Secret that applications read. */
export function connectionSecretName({ metadata, spec }: CloudDatabase): string {
  return spec.connectionSecretRef?.name ?? `${metadata.name}-connection`;
}

/** What happens to the database on deletion: as the spec says; without a word, an imported one stays and one of our own goes. */
export function deletionPolicyOf(spec: CloudDatabaseSpec): 'Delete' | 'Retain' | 'Snapshot' {
  return spec.deletionPolicy ?? (spec.externalName === undefined ? 'Delete' : 'Retain');
}

/** Whether the database is deleted together with the object. */
export function deletesWithOwner(spec: CloudDatabaseSpec): boolean {
  return may(spec, 'Delete') && deletionPolicyOf(spec) !== 'Retain';
}

/** What the engine may do outside for this database. */
export function policyOf({ metadata, spec, status }: CloudDatabase): ExternalPolicy {
  const snapshot = `final-${status?.external?.token ?? tokenOf(metadata.uid, 1)}`;
  return {
    create: may(spec, 'Create'),
    update: may(spec, 'Update'),
    delete: deletesWithOwner(spec),
    importName: spec.externalName,
    finalSnapshot: deletionPolicyOf(spec) === 'Snapshot' ? snapshot : undefined,
  };
}

const may = ({ managementPolicies }: CloudDatabaseSpec, verb: 'Create' | 'Update' | 'Delete'): boolean =>
  managementPolicies.some((policy) => policy === '*' || policy === verb);
