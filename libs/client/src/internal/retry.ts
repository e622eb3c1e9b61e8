import type { Random } from '../clock.ts';
import { ApiError, TransportError } from '../error.ts';
import type { Repeatable } from './call.ts';

/** How often and how long a client repeats a call by itself. */
export interface RetryPolicy {
  /** Requests for each call, the first one included. */
  readonly attempts: number;
  /** The pause before the second request, doubled before each further one. Milliseconds. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** The default policy: four requests within about a second, where the server asks for no more. */
export const defaultRetryPolicy: RetryPolicy = { attempts: 4, firstPauseMs: 100, longestPauseMs: 5_000 };

/** A failed attempt. */
export interface FailedAttempt {
  readonly failure: unknown;
  /** The server itself had too much to do, and did nothing. */
  readonly overloaded: boolean;
  /** How many attempts were made, this one included. */
  readonly attempts: number;
  readonly repeatable: Repeatable;
}

/** How long to wait before the call is repeated, in milliseconds; undefined where it must not be. */
export function pauseBeforeRetry(attempt: FailedAttempt, policy: RetryPolicy, random: Random): number | undefined {
  if (attempt.attempts >= policy.attempts || !isRepeatable(attempt)) return undefined;
  const doubled = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (attempt.attempts - 1));
  const pause = doubled * (0.5 + random() / 2);
  const asked =
    attempt.failure instanceof ApiError ? (attempt.failure.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
  // Never before the server's time, and not all at once.
  return asked === 0 ? pause : asked + pause;
}

/** Nothing waits for it any more, or it would be as large again. */
const final: ReadonlySet<TransportError['code']> = new Set(['Aborted', 'TimedOut', 'ReplyTooLarge']);

function isRepeatable({ failure, overloaded, repeatable }: FailedAttempt): boolean {
  if (failure instanceof TransportError) {
    if (final.has(failure.code)) return false;
    return failure.unsent || repeatable === 'read' || repeatable === 'idempotent';
  }
  if (!(failure instanceof ApiError)) return false;
  if (overloaded && failure.status.code === 429) return true;
  switch (failure.status.code) {
    case 429:
      if (repeatable === 'verdict') return false;
      return repeatable === 'read' || failure.status.details?.retryAfterSeconds !== undefined;
    case 500:
    case 502:
    case 503:
    case 504:
      return repeatable === 'read' || repeatable === 'idempotent';
    default:
      return false;
  }
}
