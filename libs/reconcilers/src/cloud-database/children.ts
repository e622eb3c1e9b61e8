import { createHash } from 'node:crypto';
import type { CloudDatabase } from '@ordinal/api';
import type { Secret, SecretInput } from '@ordinal/client';
import { mergePatch } from '@ordinal/client';
import { connectionSecret } from '@ordinal/constructs';
import type { Connection } from '@ordinal/constructs';
import { decodeSecret } from '@ordinal/lifecycle';
import type { DatabaseView } from './database.ts';
import { connectionSecretName } from './spec.ts';

/** The administrator's name at every provider. */
export const administrator = 'ordinal';

/** Enough of a password's digest to tell that it has changed, and far too little to find it. */
export function passwordDigest(password: string): string {
  return createHash('sha256').update(password).digest('hex').slice(0, 16);
}

/** Whether the Secret exists and the database does not own it, so that it must not be written. */
export function isForeign(secret: Secret | undefined, { metadata }: CloudDatabase): boolean {
  return secret !== undefined && secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true;
}

/** What the Secret should say: what it says already, brought up to what the provider shows. Undefined parts of a view change nothing. */
export function wantedConnection(
  secret: Secret | undefined,
  view: DatabaseView | undefined,
  password: string | undefined,
): Connection {
  const present = secret ? decodeSecret(secret) : {};
  const port = view?.port ?? (present['port'] === undefined ? undefined : Number(present['port']));
  return {
    host: view?.host ?? present['host'],
    port,
    database: view?.database ?? present['database'],
    username: view?.username ?? present['username'] ?? (password === undefined ? undefined : administrator),
    password,
  };
}

/**
 * The Secret to write, or undefined where it says all that already. It is written on the condition that it has not changed since it was read, so that a
 * password that a user has just put there is not overwritten.
 */
export function secretToWrite(
  database: CloudDatabase,
  secret: Secret | undefined,
  connection: Connection,
): SecretInput | undefined {
  const { apiVersion, kind, metadata } = database;
  const namespace = metadata.namespace ?? '';
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, namespace };
  // Builders write the published, mutable types; an input is the same, read-only.
  const wanted = connectionSecret({
    name: connectionSecretName(database),
    namespace,
    owner,
    connection,
  }) as SecretInput;
  if (secret === undefined) return wanted;
  const present = Object.fromEntries(Object.keys(wanted.data ?? {}).map((key) => [key, secret.data?.[key]]));
  if (!mergePatch(present, wanted.data ?? {})) return undefined;
  return { ...wanted, metadata: { ...wanted.metadata, resourceVersion: secret.metadata.resourceVersion } };
}
