import type { RetryClass } from '@ordinal/client';
import { ApiError, isApiError, TransportError } from '@ordinal/client';

/**
 * Why an action was not carried out. `Stale`: the object has changed since we looked, so the decision no longer holds; looking again is the whole
 * remedy, and nobody need be told. `Refused`: the API server said no. `Unreachable`: no reply, so it may or may not have happened. `CallFailed`:
 * an outside system failed. `Aborted`: the reconcile ran out of time, or leadership was lost.
 */
export type ActionErrorCode = 'Stale' | 'Refused' | 'Unreachable' | 'CallFailed' | 'Aborted';

/** An action was not carried out; those after it were not tried. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly code: ActionErrorCode;
  readonly retry: RetryClass;

  constructor(code: ActionErrorCode, what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = code;
    this.retry = retryOf(cause);
  }
}

function retryOf(cause: unknown): RetryClass {
  if (typeof cause === 'object' && cause !== null && 'retry' in cause) {
    const { retry } = cause;
    if (retry === 'backoff' || retry === 'wait' || retry === 'terminal') return retry;
  }
  return 'backoff';
}

/** Tells what a failed write means for the decision that wanted it. */
export function actionErrorOf(what: string, cause: unknown): ActionError {
  if (cause instanceof ActionError) return cause;
  if (isApiError(cause, 'Conflict', 'AlreadyExists', 'NotFound')) return new ActionError('Stale', what, cause);
  if (cause instanceof ApiError) return new ActionError('Refused', what, cause);
  if (cause instanceof TransportError)
    return new ActionError(cause.code === 'Aborted' ? 'Aborted' : 'Unreachable', what, cause);
  return new ActionError('CallFailed', what, cause);
}
