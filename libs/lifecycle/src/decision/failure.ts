import type { Instant, RetryClass } from '@ordinal/client';
import { ApiError, isApiError, TransportError } from '@ordinal/client';
import type { Action } from './action.ts';

/**
 * Why an action was not carried out. `Stale`: the object has changed since we looked, so the decision no longer holds; looking again is the whole
 * remedy, and it is not reported. `Refused`: the API server said no. `Unreachable`: no reply, so it may or may not have happened. `CallFailed`:
 * an outside system failed. `Aborted`: the reconcile ran out of time, or leadership was lost.
 */
export type ActionErrorCode = 'Stale' | 'Refused' | 'Unreachable' | 'CallFailed' | 'Aborted';

/** An action was not carried out; those that need it were not tried. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  readonly code: ActionErrorCode;
  readonly retry: RetryClass;
  /** When the decision wanted to look again, where all the rest of it was carried out: that goes on, however long this failure has lasted. */
  lookAgainAt?: Instant;
  /** What was to be done; undefined where it was no action, such as a write of the status. */
  readonly action: Action<unknown> | undefined;

  constructor(code: ActionErrorCode, what: string, cause: unknown, action?: Action<unknown>) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.code = code;
    this.retry = retryOf(cause);
    this.action = action;
  }
}

function retryOf(cause: unknown): RetryClass {
  if (typeof cause === 'object' && cause !== null && 'retry' in cause) {
    const { retry } = cause;
    if (retry === 'backoff' || retry === 'wait' || retry === 'terminal') return retry;
  }
  return 'backoff';
}

/** Explains what a failed write means for the decision that wanted it. */
export function actionErrorOf(what: string, cause: unknown, action?: Action<unknown>): ActionError {
  if (cause instanceof ActionError) return cause;
  if (isApiError(cause, 'Conflict', 'AlreadyExists', 'NotFound')) return new ActionError('Stale', what, cause);
  if (cause instanceof ApiError) return new ActionError('Refused', what, cause, action);
  if (cause instanceof TransportError)
    return new ActionError(cause.code === 'Aborted' ? 'Aborted' : 'Unreachable', what, cause);
  return new ActionError('CallFailed', what, cause);
}

/**
 * Whether a failure says of the whole decision that it does not hold, or may not be carried out any more. Without a reply as well: time has passed, in which another
 * replica may have led, and what the decision was made for may be gone.
 */
export const endsAll = ({ code }: ActionError): boolean =>
  code === 'Stale' || code === 'Aborted' || code === 'Unreachable';

/** From the one that waits least. */
const retries: readonly RetryClass[] = ['backoff', 'wait', 'terminal'];

/** Reports all failures in one: by the code of the first, with the shortest wait, and with the time at which the decision wanted to look again. */
export function together(
  failures: readonly [ActionError, ...ActionError[]],
  lookAgainAt: Instant | undefined,
): ActionError {
  const failure = failures.length === 1 ? failures[0] : several(failures);
  if (lookAgainAt !== undefined) failure.lookAgainAt = lookAgainAt;
  return failure;
}

function several(failures: readonly [ActionError, ...ActionError[]]): ActionError {
  const cause = new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  const retry = retries.find((one) => failures.some((failure) => failure.retry === one));
  return new ActionError(failures[0].code, `${failures.length} actions failed`, Object.assign(cause, { retry }));
}
