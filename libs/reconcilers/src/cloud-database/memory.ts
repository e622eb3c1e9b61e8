import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import { cloudDatabases } from '@ordinal/api';
import { hasFinalizer } from '@ordinal/runtime';
import type { Memory } from '@ordinal/lifecycle';
import { announced } from '@ordinal/lifecycle';
import { databaseFinalizer } from './spec.ts';

/**
 * What is remembered of a database: its ID, and what may have been made at which account. Where that is not known, one may exist: the operator looks for it by the
 * object's UID, before one is made or the object goes.
 *
 * **Caveats.** A database that was taken over carries no mark of ours. It is found by the name in the spec while the object lives, and stays when the object goes.
 */
export const databaseMemory: Memory<CloudDatabase> = {
  descriptor: cloudDatabases,
  finalizer: databaseFinalizer,
  forget(database, { now }): CloudDatabaseStatus {
    const { metadata, spec } = database;
    if (!hasFinalizer(database, databaseFinalizer) || spec.externalName !== undefined) return {};
    return { external: announced(metadata.uid, 1, now) };
  },
};
