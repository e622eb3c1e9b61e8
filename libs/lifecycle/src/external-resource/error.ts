import type { RetryClass } from '@ordinal/client';
import { RuntimeError } from '@ordinal/runtime';

/**
 * What went wrong outside, to switch on. `Refused`: what was asked for is not acceptable as it is. `Busy`: not now, because something else is going on
 * with the thing. `NameTaken`: a thing of another owner has the name. `Unsupported`: the provider can't do it at all. `EndpointRefused`: our own policy does
 * not let us call there. `Unprotected`: the credentials could still go before what is made with them, and are not used yet.
 */
export type ExternalErrorCode =
  | 'Refused'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'NameTaken'
  | 'Busy'
  | 'QuotaExceeded'
  | 'RateLimited'
  | 'Unavailable'
  | 'Unreachable'
  | 'TimedOut'
  | 'MalformedReply'
  | 'ReplyTooLarge'
  | 'Unsupported'
  | 'EndpointRefused'
  | 'Unprotected';

const retryClasses: Readonly<Record<ExternalErrorCode, RetryClass>> = {
  Refused: 'terminal',
  Unauthorized: 'wait',
  Forbidden: 'wait',
  NotFound: 'backoff',
  NameTaken: 'terminal',
  Busy: 'backoff',
  QuotaExceeded: 'wait',
  RateLimited: 'backoff',
  Unavailable: 'backoff',
  Unreachable: 'backoff',
  TimedOut: 'backoff',
  MalformedReply: 'backoff',
  ReplyTooLarge: 'terminal',
  Unsupported: 'terminal',
  EndpointRefused: 'terminal',
  Unprotected: 'backoff',
};

/** In characters. It stands in conditions and events, and a status that is too long would be refused forever. */
const longestMessage = 1_000;

/** When who found no place for a call tries again, in milliseconds. */
const noPlaceMs = 5_000;

/** A call outside the cluster failed. Its message is cut where it is longer than a condition should be. */
export class ExternalError extends Error {
  override readonly name = 'ExternalError';
  readonly code: ExternalErrorCode;
  readonly retry: RetryClass;
  /** `no`: the provider certainly has not done what was asked. `unknown`: it may have. */
  readonly applied: 'no' | 'unknown';
  /** How long to wait before the next try, in milliseconds, as the provider asked for it, or whatever else can't be had before. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ExternalErrorCode,
    message: string,
    options: {
      readonly applied?: 'no' | 'unknown';
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message, { cause: options.cause });
    this.code = code;
    this.retry = retryClasses[code];
    this.applied = options.applied ?? 'unknown';
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Any failure as an `ExternalError`. What is not one already says nothing about whether the call was carried out. */
export function externalErrorOf(cause: unknown): ExternalError {
  if (cause instanceof ExternalError) return cause;
  // It waited for a place to call from, and was not made.
  if (cause instanceof RuntimeError && cause.code === 'NoPlace')
    return new ExternalError('RateLimited', cause.message, { applied: 'no', retryAfterMs: noPlaceMs, cause });
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ExternalError('Unavailable', message, { cause });
}
