import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import type { Instant, ObjectKey, Secret } from '@ordinal/client';
import { hasFinalizer, isBeingDeleted } from '@ordinal/runtime';
import type { ReconcileContext } from '@ordinal/runtime';
import type { ExternalRecord, OutsideContext, LookupResult } from '@ordinal/lifecycle';
import {
  decodeSecret,
  recordAfterRestore,
  ExternalError,
  externalErrorOf,
  inUseFinalizer,
  lookUp,
  readSecret,
  recentRestore,
} from '@ordinal/lifecycle';
import { isPaused } from '../annotations.ts';
import type { DatabaseAccount, DatabaseProviders, DatabaseView } from './database.ts';
import { whyNotFollowed } from './follow.ts';
import { rivalOf } from './rival.ts';
import { accountOf, connectionSecretName, databaseFinalizer, deletesWithOwner } from './spec.ts';

/** Everything that a decision about a CloudDatabase depends on, save time and chance. */
export interface DatabaseObservation {
  readonly database: CloudDatabase;
  /** What the status says of the database outside, with the uncertainty that a restore of the API server's store leaves. */
  readonly record: ExternalRecord | undefined;
  /** The provider account, or why there is none. */
  readonly account: DatabaseAccount | ExternalError;
  readonly lookup: LookupResult<DatabaseView>;
  /** The name of the account where the database was made, where it is seen to be found by another name now. */
  readonly followedFrom?: string | undefined;
  /** The connection Secret. */
  readonly connectionSecret: Secret | undefined;
  /** Another CloudDatabase that has taken over the same database, and goes first. */
  readonly rival: CloudDatabase | undefined;
  /** When a restore of the API server's store was noticed, if that was a short time ago. */
  readonly restoredAt?: Instant | undefined;
}

/** Observes a CloudDatabase: caches first, then, where anything depends on it, the provider. Undefined where there is no such object. */
export async function observeDatabase(
  key: ObjectKey,
  context: Pick<ReconcileContext, 'cache' | 'client' | 'signal' | 'clock' | 'restoredAt'> & OutsideContext,
  providers: DatabaseProviders,
): Promise<DatabaseObservation | undefined> {
  const { cache } = context;
  const database = cache.get(cloudDatabases, key);
  if (database === undefined) return undefined;
  const account = resolveAccount(database, await providerSecret(database, context), providers);
  const connectionPlace = { namespace: key.namespace, name: connectionSecretName(database) };
  const connectionSecret = await readSecret(connectionPlace, context);
  const record = recordOf(database, context);
  const { lookup, followedFrom } = await lookOutside({ database, record }, account, context);
  const rival = account instanceof ExternalError ? undefined : rivalFor(database, { account, lookup }, cache);
  const restoredAt = recentRestore(context);
  return { database, record, account, lookup, followedFrom, connectionSecret, rival, restoredAt };
}

/**
 * What is known of the database. One that is to be taken over is found by its name for as long as the object lives: nothing that was lost can hide it. When the object goes, an import may be
 * lost that a restore has taken back.
 */
function recordOf(
  database: CloudDatabase,
  context: Pick<ReconcileContext, 'clock' | 'restoredAt'>,
): ExternalRecord | undefined {
  const { metadata, spec, status } = database;
  const imports = spec.externalName !== undefined;
  if (imports && !isBeingDeleted(database)) return status?.external;
  return recordAfterRestore(status?.external, { owner: metadata.uid, imports }, recentRestore(context));
}

function rivalFor(
  database: CloudDatabase,
  { account: { account }, lookup }: { readonly account: DatabaseAccount; readonly lookup: LookupResult<DatabaseView> },
  cache: ReconcileContext['cache'],
): CloudDatabase | undefined {
  const { spec, status } = database;
  if (spec.externalName === undefined) return undefined;
  const id = status?.external?.id ?? (lookup.kind === 'answered' ? lookup.views[0]?.id : undefined);
  return id === undefined ? undefined : rivalOf(database, { account, id }, cache);
}

async function providerSecret(
  { metadata, spec }: CloudDatabase,
  context: Pick<ReconcileContext, 'cache' | 'client' | 'signal'>,
): Promise<Secret | undefined> {
  if (spec.providerRef === undefined) return undefined;
  return await readSecret({ namespace: metadata.namespace ?? '', name: spec.providerRef.name }, context);
}

function resolveAccount(
  { metadata, spec }: CloudDatabase,
  secret: Secret | undefined,
  providers: DatabaseProviders,
): DatabaseAccount | ExternalError {
  try {
    if (spec.providerRef === undefined) return providers.resolve(undefined);
    const { name } = spec.providerRef;
    const place = `Secret ${metadata.namespace ?? ''}/${name}`;
    if (secret === undefined)
      return new ExternalError('Refused', `there is no ${place}, which spec.providerRef names`, { applied: 'no' });
    // Without the finalizer, the deletion of the namespace could take the credentials away before the database.
    const isProtected = secret.metadata.finalizers?.includes(inUseFinalizer(cloudDatabases)) === true;
    if (!isProtected && metadata.deletionTimestamp === undefined) {
      return new ExternalError('Unprotected', `${place} is not protected against deletion yet`, { applied: 'no' });
    }
    return providers.resolve(decodeSecret(secret), metadata.namespace);
  } catch (error) {
    return externalErrorOf(error);
  }
}

async function lookOutside(
  { database, record }: Pick<DatabaseObservation, 'database' | 'record'>,
  account: DatabaseAccount | ExternalError,
  context: OutsideContext,
): Promise<Pick<DatabaseObservation, 'lookup' | 'followedFrom'>> {
  const { metadata, spec, status } = database;
  const leaving = isBeingDeleted(database);
  if (!hasFinalizer(database, databaseFinalizer) || isPaused(database) || (leaving && !deletesWithOwner(spec)))
    return { lookup: { kind: 'skipped' } };
  if (leaving && record === undefined) return { lookup: { kind: 'skipped' } };
  if (account instanceof ExternalError) return { lookup: { kind: 'failed', error: account } };
  const recordedAt = accountOf(status?.external);
  const importName = spec.externalName;
  const wanted = { owner: metadata.uid, record, importName, leaving };
  if (recordedAt !== undefined && recordedAt !== account.account) {
    const error = await whyNotFollowed(database, { recordedAt, account }, context);
    if (error) return { lookup: { kind: 'failed', error } };
    return { lookup: await lookUp(account.system, wanted, context), followedFrom: recordedAt };
  }
  return { lookup: await lookUp(account.system, wanted, context) };
}
