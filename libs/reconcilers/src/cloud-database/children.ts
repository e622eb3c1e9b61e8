import { createHash } from 'node:crypto';
import type { CloudDatabase } from '@ordinal/api';
import type { Secret, SecretInput } from '@ordinal/client';
import { mergePatch } from '@ordinal/client';
import { connectionKeys, connectionSecret } from '@ordinal/constructs';
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

/** On the connection Secret: when its login last took the place of another one. */
export const rotatedAtAnnotation = 'ordinal.dev/rotated-at';

/** The digest of the password that this database was last given; undefined where that is not known of it. */
export function digestOf({ status }: CloudDatabase, view: DatabaseView): string | undefined {
  return status?.external?.id === view.id ? status.external.passwordDigest : undefined;
}

/** What the connection Secret says of logins. */
export interface SecretContent extends Pick<Connection, 'username' | 'password' | 'nextUsername' | 'nextPassword'> {
  readonly annotations: Readonly<Record<string, string>>;
}

/** Whether the Secret exists and the database does not own it, so that it must not be written. */
export function isForeign(secret: Secret | undefined, { metadata }: CloudDatabase): boolean {
  return secret !== undefined && secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true;
}

/** What the Secret should say: what it says already, brought up to what the provider shows. Undefined parts of a view change nothing. */
export function wantedConnection(
  secret: Secret | undefined,
  view: DatabaseView | undefined,
  { password, username, nextUsername, nextPassword }: Omit<SecretContent, 'annotations'>,
): Connection {
  const present = secret ? decodeSecret(secret) : {};
  const port = view?.port ?? (present['port'] === undefined ? undefined : Number(present['port']));
  return {
    host: view?.host ?? present['host'],
    port,
    database: view?.database ?? present['database'],
    username: usernameOf(view, username) ?? (password === undefined ? undefined : administrator),
    password,
    nextUsername,
    nextPassword,
  };
}

/** A provider that keeps two logins shows which one it was made with; the Secret knows which one is used. */
const usernameOf = (view: DatabaseView | undefined, username: string | undefined): string | undefined =>
  view?.logins === undefined ? (view?.username ?? username) : username;

/**
 * The Secret to write, or undefined where it says all that already. It is written on the condition that it has not changed since it was read, so that a
 * password that a user has just put there is not overwritten.
 */
export function secretToWrite(
  database: CloudDatabase,
  secret: Secret | undefined,
  { connection, annotations }: { readonly connection: Connection } & Pick<SecretContent, 'annotations'>,
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
    annotations,
  }) as SecretInput;
  if (secret === undefined) return wanted;
  const data: Readonly<Record<string, string>> = wanted.data ?? {};
  const present = Object.fromEntries(Object.keys(data).map((key) => [key, secret.data?.[key]]));
  const isLeft = Object.values(connectionKeys).some((key) => secret.data?.[key] !== undefined && !(key in data));
  const isNoted = Object.entries(annotations).every(([key, value]) => secret.metadata.annotations?.[key] === value);
  if (!isLeft && isNoted && !mergePatch(present, data)) return undefined;
  return { ...wanted, metadata: { ...wanted.metadata, resourceVersion: secret.metadata.resourceVersion } };
}
