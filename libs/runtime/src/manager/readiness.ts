import type { Instant } from '@ordinal/client';
import type { KindCache } from '../cache/kind-cache.ts';
import type { WatchFailure } from '../cache/watch-failure.ts';

/** Whether a manager can do its work, and if not, why. */
export interface Readiness {
  readonly ready: boolean;
  /** Every failure of a watch, those included that are too recent to count. */
  readonly problems: readonly WatchFailure[];
  /** Kinds whose first list has not come in. */
  readonly unsynced: readonly string[];
}

/** A break shorter than this does not make a manager unready: watches end and resume all the time. In milliseconds. */
const graceMs = 10_000;

/** Failures that do not pass by themselves count at once. */
const lasting = new Set(['Forbidden', 'Unauthorized', 'NotFound', 'MethodNotAllowed']);

/** Judges caches. */
export function readinessOf(
  caches: readonly Pick<KindCache, 'name' | 'synced' | 'failures'>[],
  at: { readonly started: boolean; readonly now: Instant },
): Readiness {
  const problems = caches.flatMap((cache) => cache.failures);
  const unsynced = caches.filter((cache) => !cache.synced).map((cache) => cache.name);
  const serious = problems.some(({ code, since }) => lasting.has(code) || at.now - since >= graceMs);
  return { ready: at.started && unsynced.length === 0 && !serious, problems, unsynced };
}
