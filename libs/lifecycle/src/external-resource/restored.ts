import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { ReconcileContext } from '@ordinal/runtime';
import type { ExternalRecord } from './record.ts';
import { announced } from './record.ts';

/** For how long after a restore records are doubted, in milliseconds: longer than any provider may take to show what was made. By then each record says so itself. */
const restoreWindowMs = 600_000;

/** When a restore of the API server's store was noticed, where that was so short a time ago that what was made outside before it may not show yet. */
export function recentRestore({
  clock,
  restoredAt,
}: Pick<ReconcileContext, 'clock' | 'restoredAt'>): Instant | undefined {
  return restoredAt !== undefined && clock.now() < restoredAt + restoreWindowMs ? restoredAt : undefined;
}

/** Whose thing a record is of. */
export interface RecordOwner {
  readonly owner: string;
  /** How many things the owner has had made elsewhere, by their highest number. Default: none. The next one has the number after it. */
  readonly incarnationElsewhere?: number;
  /** The owner takes a thing over by its name instead of having one made. */
  readonly imports?: boolean;
}

/**
 * The record of an owner's thing after a restore of the API server's store to an older state. A creation may have been announced in the part that is lost,
 * until `restoredAt`, when the restore was noticed: nothing is made a second time, and nothing is believed to be gone, before all that may have been made must
 * have shown. A record that is lost has the token that the creation would have now: a provider that keeps tokens gives back what it has made. Where the owner
 * takes things over, it is that of an import whose ID is not known: the thing is found by its name. Without a restore, and for an import that is on record, it is what the status says.
 */
export function recordAfterRestore<Recorded extends ExternalRecord>(
  record: Recorded | undefined,
  { owner, incarnationElsewhere = 0, imports = false }: RecordOwner,
  restoredAt: Instant | undefined,
): Recorded | ExternalRecord | undefined {
  if (restoredAt === undefined || record?.imported === true) return record;
  if (record === undefined) {
    const lost = announced(owner, incarnationElsewhere + 1, restoredAt);
    return imports ? { ...lost, imported: true } : lost;
  }
  const attempted = instantOf(record.createAttemptedAt) ?? restoredAt;
  return { ...record, createAttemptedAt: timestamp(Math.max(attempted, restoredAt)) };
}
