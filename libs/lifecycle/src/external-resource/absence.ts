import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { ExternalRecord } from './record.ts';
import { callWindowMs, without } from './record.ts';
import type { Traits } from './system.ts';

/** Timestamps of the API are whole seconds, rounded down. */
const roundingMs = 1_000;

/** How long after its announcement a creation may still have an effect that no look shows. */
export function settleWindowMs({ callTimeoutMs, settleMs }: Traits): number {
  return roundingMs + callWindowMs + callTimeoutMs + settleMs;
}

/** How long ago what a look shows may have been. */
export function staleMs({ settleMs }: Traits): number {
  return settleMs === 0 ? 0 : roundingMs + settleMs;
}

/** The time from which on everything that the last announced creation has made is sure to show in a look-up; undefined where none was announced. */
export function shownAt(record: ExternalRecord, traits: Traits): Instant | undefined {
  const attempted = instantOf(record.createAttemptedAt);
  return attempted === undefined ? undefined : attempted + settleWindowMs(traits);
}

/** What is to be thought of a thing that a look did not show. */
export interface Absence {
  /** With the time since which it has been missing. */
  readonly record: ExternalRecord;
  /** Whether it is not there. */
  readonly isBelieved: boolean;
  /** The time that decides. */
  readonly lookAgainAt: Instant;
}

/**
 * Whether it is believed that a thing which looks do not show is not there: when it has been missing for `forMs`. As long as the last creation may still
 * not show, nothing is missing; so the waiting after that is in full even if the clock was set forward, and one look alone decides nothing.
 */
export function absenceOf(
  before: ExternalRecord,
  forMs: number,
  { traits, now }: { readonly traits: Traits; readonly now: Instant },
): Absence {
  const shown = shownAt(before, traits) ?? now;
  const since = now < shown ? undefined : (before.absentSince ?? timestamp(now));
  const rest = without(before, 'absentSince');
  const record = since === undefined ? rest : { ...rest, absentSince: since };
  const believedAt = since === undefined ? shown : (instantOf(since) ?? now) + forMs;
  return { record, isBelieved: since !== undefined && now >= believedAt, lookAgainAt: believedAt };
}

/** The record without times in the future: the clock was set back, or another operator's goes ahead. Waiting begins now. */
export function withoutFuture(record: ExternalRecord, now: Instant): ExternalRecord {
  const present = (text: string | undefined): string | undefined =>
    (instantOf(text) ?? now) > now ? timestamp(now) : text;
  const { createAttemptedAt, absentSince, deleteRequestedAt, lookUpMissingAt } = record;
  const moments = { createAttemptedAt, absentSince, deleteRequestedAt, lookUpMissingAt };
  const known = Object.entries(moments).filter(([, text]) => text !== undefined);
  return { ...record, ...Object.fromEntries(known.map(([name, text]) => [name, present(text)])) };
}
