import type { CloudDatabase, CloudDatabaseStatus, CloudDatabaseStatusExternal } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { defined, withFindings } from '@ordinal/client';
import type { ExternalRecord, ExternalStatus } from '@ordinal/lifecycle';
import { retries, reconcileRequestedAnnotation } from '../annotations.ts';
import type { DatabaseView } from './database.ts';
import { rotationOnSchedule } from './rotation-report.ts';
import type { RotationReport } from './rotation-report.ts';
import { accountOf } from './spec.ts';
import { stateOf } from './state.ts';

/** What a status is made of. */
export interface StatusParts {
  readonly externalStatus: ExternalStatus;
  readonly record: ExternalRecord | undefined;
  readonly view?: DatabaseView | undefined;
  readonly now: Instant;
  /** The provider account, where it is known. */
  readonly account?: string | undefined;
  /** The account's former name, where the database was just found by another. */
  readonly followedFrom?: string | undefined;
  /** What is said of rotations; as it was unless given. */
  readonly rotation?: Pick<RotationReport, 'status' | 'finding'> | undefined;
}

/** The whole status. What was not looked at stays as it was. */
export function statusFor(database: CloudDatabase, parts: StatusParts): CloudDatabaseStatus {
  const { status: before, metadata } = database;
  const { now, rotation } = parts;
  const external = externalFor(before?.external, parts);
  const { phase, ready, synced } = stateOf(database, parts.externalStatus);
  const findings = [ready, synced, ...(rotation?.finding ? [rotation.finding] : [])];
  // Without a schedule there is nothing to be on.
  const isOver = rotation !== undefined && rotation.finding === undefined;
  const kept = before?.conditions?.filter(({ type }) => !isOver || type !== rotationOnSchedule);
  const status = {
    observedGeneration: metadata.generation,
    phase,
    instanceId: external?.id,
    ...shownFor(before, parts),
    rotation: rotation === undefined ? before?.rotation : rotation.status,
    external,
    retryToken: retries.tokenOf(database),
    lastHandledReconcileAt: metadata.annotations?.[reconcileRequestedAnnotation] ?? before?.lastHandledReconcileAt,
    conditions: withFindings(kept, findings, { now, generation: metadata.generation }),
  };
  return defined(status);
}

/** What the provider shows; what it showed before, where it was not asked and it is the same database still. */
function shownFor(
  before: CloudDatabaseStatus | undefined,
  { record, view }: StatusParts,
): { readonly endpoint: string | undefined; readonly size: string | undefined } {
  const kept = record?.id !== undefined && record.id === before?.external?.id ? before : undefined;
  const endpoint = view?.host === undefined ? undefined : `${view.host}:${view.port ?? ''}`;
  return { endpoint: endpoint ?? kept?.endpoint, size: view?.size ?? kept?.size };
}

/** The record with what this kind keeps beside it: the account, and the password's digest for as long as it is the same database. */
function externalFor(
  before: CloudDatabaseStatusExternal | undefined,
  { record, account, followedFrom = before?.followedFrom }: StatusParts,
): CloudDatabaseStatusExternal | undefined {
  if (record === undefined) return undefined;
  const place = accountOf(before);
  const isStill = place !== undefined && followedFrom === before?.followedFrom;
  // Two databases may have been made with one token: only the ID distinguishes them.
  const isSame = before?.token === record.token && before.id === record.id;
  const passwordDigest = isSame ? before.passwordDigest : undefined;
  const { token, incarnation, id, imported, createAttemptedAt, absentSince, deleteRequestedAt } = record;
  const kept = {
    id,
    imported,
    createAttemptedAt,
    absentSince,
    deleteRequestedAt,
    account: isStill ? place : (account ?? before?.account),
    followedFrom,
    passwordDigest,
  };
  return { token, incarnation, ...defined(kept) };
}
