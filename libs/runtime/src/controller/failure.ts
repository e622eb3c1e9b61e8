import { isApiError } from '@ordinal/client';
import type { Random, RetryClass } from '@ordinal/client';
import { retryClassOf } from '../error.ts';
import { backoffDelay } from '../queue/backoff.ts';
import type { BackoffOptions } from '../queue/backoff.ts';

/** What a failed reconcile means for its key. */
export interface Verdict {
  /** The key was worked on from a state that has changed meanwhile: part of normal operation. */
  readonly stale: boolean;
  readonly retry: RetryClass;
  readonly delayMs: number;
}

/** Who was overtaken looks again soon; the delay doubles from here as any other. */
const staleBaseMs = 10;

/** Judges what a reconcile threw, after so many failures in a row (this one included). */
export function verdictOn(
  error: unknown,
  failures: number,
  how: { readonly backoff: BackoffOptions; readonly random: Random },
): Verdict {
  const { backoff, random } = how;
  const stale = isStale(error);
  const retry = retryClassOf(error);
  const growing = stale ? { ...backoff, baseMs: Math.min(backoff.baseMs, staleBaseMs) } : backoff;
  const pause = retry === 'terminal' ? backoff.capMs : backoffDelay(failures, growing, random);
  return { stale, retry, delayMs: Math.max(pause, retryAfterMs(error)) };
}

/** Whether a resource version or UID that was read was no longer the object's: the server's 409, or an error that was caused by one. */
function isStale(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1) {
    if (isApiError(one, 'Conflict')) return true;
  }
  return false;
}

/** How long the server asked to be left alone, in milliseconds. */
function retryAfterMs(error: unknown): number {
  return isApiError(error) ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
}
