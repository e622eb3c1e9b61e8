import type { CloudDatabase } from '@ordinal/api';
import type { ObjectKey, Secret } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import { connectionSecretName, heldIn, rotateAnnotation, rotationOnSchedule } from '@ordinal/reconcilers';
import type { DatabaseView, LoginView } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';
import type { OnRecord } from './on-record.ts';
import { holds, isThere } from './on-record.ts';
import { unknown } from './unknown.ts';

/** Reads a Secret; undefined where there is none. */
export type ReadSecret = (key: ObjectKey) => Promise<Secret | undefined>;

/** The database, where it is ready. One that is being made, changed or removed changes by itself, and so do its logins while one replaces another. */
export async function databasesOf(resource: OrdinalResource, read: ReadSecret): Promise<OnRecord<DatabaseView>> {
  if (resource.kind !== 'CloudDatabase') return [];
  const { external, instanceId, size, endpoint = '' } = resource.status ?? {};
  if (external === undefined) return [];
  const isReady = holds(resource, 'Ready') && holds(resource, 'Synced');
  if (instanceId === undefined || !isThere(external) || !isReady) return undefined;
  const logins = await loginsOf(resource, read);
  if (logins === undefined) return undefined;
  const [, host, port] = /^(.*):(\d+)$/.exec(endpoint) ?? [];
  const address = host === undefined ? {} : { host, port: Number(port) };
  const { uid } = resource.metadata;
  return [{ id: instanceId, owner: uid, token: external.token, state: 'ready', size, ...address, ...logins }];
}

/**
 * The logins, between two rotations: the Secret names the one that is open. Empty where the provider keeps one login, or where nothing asks for a rotation and none was
 * made. Undefined where only the provider knows: whether it keeps two is on record since the first look after a rotation was asked for.
 */
async function loginsOf(database: CloudDatabase, read: ReadSecret): Promise<Pick<DatabaseView, 'logins'> | undefined> {
  const { metadata, status } = database;
  const condition = conditionOf(status?.conditions, rotationOnSchedule);
  if (condition?.reason === 'Unsupported') return {};
  if (condition === undefined) return hasRotation(database) ? undefined : {};
  const secret = await read({ namespace: metadata.namespace ?? '', name: connectionSecretName(database) });
  const { username } = heldIn(secret);
  if (username === undefined || !isBetween(database, secret)) return undefined;
  const open: LoginView = { name: username, state: 'open' };
  return { logins: [open, { name: unknown.login, state: 'closed' }] };
}

/** Whether rotations are asked for, or were made. */
const hasRotation = ({ metadata, spec, status }: CloudDatabase): boolean =>
  spec.rotation !== undefined ||
  metadata.annotations?.[rotateAnnotation] !== undefined ||
  status?.rotation?.lastRotatedAt !== undefined;

/** Whether no login replaces another: nothing is next in the Secret, the former login has ended, and the status knows of the last rotation. */
function isBetween({ status }: CloudDatabase, secret: Secret | undefined): boolean {
  const { next, rotatedAt, annotations } = heldIn(secret);
  const { lastRotatedAt, formerLogin, token } = status?.rotation ?? {};
  const isRecorded = instantOf(lastRotatedAt) === rotatedAt && token === annotations[rotateAnnotation];
  return isRecorded && next === undefined && formerLogin === undefined;
}
