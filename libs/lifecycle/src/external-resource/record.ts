import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';

/**
 * What is known of a thing outside, kept in the resource's status. It is written before each call that it announces, on the condition that the resource
 * has not changed since it was read; so of two operators only one gets to call, and a crash at any point leaves a record of what may exist.
 */
export interface ExternalRecord {
  /** The idempotency token of the creation. */
  readonly token: string;
  /** How many times a thing has been made; more than 1 when one vanished. Each has a token of its own. */
  readonly incarnation: number;
  /** The provider's ID, as soon as it is known. */
  readonly id?: string;
  /** The thing existed before the resource. */
  readonly imported?: boolean;
  /** When a creation was last announced. Absent: none was ever sent, so nothing of ours can exist (I26). */
  readonly createAttemptedAt?: string;
  /** Since when the provider has said that there is no such thing. */
  readonly absentSince?: string;
  readonly deleteRequestedAt?: string;
  /** When the provider last answered that it offers no look-ups. Then its replies are all that is known of the thing. */
  readonly lookUpMissingAt?: string;
  /** When a provider without look-ups confirmed the deletion. */
  readonly deletedAt?: string;
}

/**
 * How long after its announcement a call may still be started. An operator that was stopped in between (a paused process, a deposed leader) finds the
 * announcement too old and does not call: another operator may have looked meanwhile.
 */
export const callWindowMs = 10_000;

/** The token of an owner's n-th thing. */
export function tokenOf(owner: string, incarnation: number): string {
  return `${owner}-${incarnation}`;
}

/** The record that announces the creation of the owner's n-th thing. */
export function announced(owner: string, incarnation: number, now: Instant): ExternalRecord {
  return { token: tokenOf(owner, incarnation), incarnation, createAttemptedAt: timestamp(now) };
}

/** The record with an ID, and without the uncertainty that came before it. */
export function known(record: ExternalRecord, id: string): ExternalRecord {
  return { ...without(record, 'absentSince'), id };
}

/** Whether a thing of this record may exist: a creation was announced and not refused, its ID is known, or it was found when it was to be deleted. */
export function mayExist(record: ExternalRecord | undefined): boolean {
  return [record?.id, record?.createAttemptedAt, record?.deleteRequestedAt].some((known) => known !== undefined);
}

/** The record without the announcement of a creation that certainly did not happen; an earlier one stays. */
export function refused(record: ExternalRecord, earlier: string | undefined): ExternalRecord {
  const rest = without(record, 'createAttemptedAt');
  return earlier === undefined ? rest : { ...rest, createAttemptedAt: earlier };
}

/** The record of a provider that shows what it has: what was remembered for want of look-ups is found out by them. */
export function shown(record: ExternalRecord): ExternalRecord {
  const { lookUpMissingAt: _missing, deletedAt: _deleted, ...rest } = record;
  return rest;
}

/** What was decided, with that the provider offers no look-ups in its record: since now where it has just answered so. */
export function withoutLookUp<Decided extends { readonly record: ExternalRecord | undefined }>(
  decision: Decided,
  { record, now }: { readonly record: ExternalRecord | undefined; readonly now: Instant },
  { isAsked }: { readonly isAsked: boolean },
): Decided {
  const since = isAsked ? timestamp(now) : (record?.lookUpMissingAt ?? timestamp(now));
  return { ...decision, record: decision.record && { ...decision.record, lookUpMissingAt: since } };
}

/** The record without one of its optional fields. */
export function without<Key extends keyof ExternalRecord>(record: ExternalRecord, key: Key): Omit<ExternalRecord, Key> {
  // All fields but one are copied, so that the result has the others.
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key)) as unknown as Omit<
    ExternalRecord,
    Key
  >;
}
