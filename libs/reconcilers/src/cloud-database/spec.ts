import type { CloudDatabase, CloudDatabaseSpec, CloudDatabaseStatusExternal } from '@ordinal/api';
import { cloudDatabases } from '@ordinal/api';
import type { Hold, ExternalPolicy } from '@ordinal/lifecycle';
import { tokenOf } from '@ordinal/lifecycle';

/** The seed's finalizer: on the object from before the first call at the provider until nothing of the database is left there. */
export const databaseFinalizer = 'db.example.com/finalizer';

/** How a database is held. */
export const databaseHold: Hold = {
  descriptor: cloudDatabases,
  finalizer: databaseFinalizer,
  because: 'nothing may be made outside before its clean-up is sure',
};

/** The name of the Secret that applications read. */
export function connectionSecretName({ metadata, spec }: Pick<CloudDatabase, 'metadata' | 'spec'>): string {
  return spec.connectionSecretRef?.name ?? `${metadata.name}-connection`;
}

/** What happens to the database on deletion: as the spec says; without a word, an imported one stays and one of our own goes. */
function deletionPolicyOf(spec: CloudDatabaseSpec): 'Delete' | 'Retain' | 'Snapshot' {
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

/** The account where the database is, or may be. Where none can exist, any account is as good as another. */
export function accountOf(record: CloudDatabaseStatusExternal | undefined): string | undefined {
  const mayExist = record?.id !== undefined || record?.createAttemptedAt !== undefined;
  return mayExist ? record.account : undefined;
}
