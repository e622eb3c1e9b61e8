import type { RetryClass } from '@ordinal/client';

/** Why the runtime did not let something happen. */
export type RuntimeErrorCode =
  /** The lease was not renewed in time: no write is begun until it is held again. */
  | 'NotLeading'
  /** The reconcile has run out of time. */
  | 'ReconcileTimeout'
  /** Too many calls to the outside are under way: this one was not made. */
  | 'NoPlace'
  /** The object that was to be read is larger than what a cache keeps. */
  | 'ObjectTooLarge'
  /** The API server's store was restored to an older state: what was read before does not count. */
  | 'Restored'
  /** The manager stops. */
  | 'Stopping'
  /** What the caller wants is not allowed by Kubernetes, now or later. */
  | 'NotAllowed';

/** A refusal by the runtime itself. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;
  readonly retry: RetryClass;

  constructor(
    code: RuntimeErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retry?: RetryClass } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? 'backoff';
  }
}

/** How to go on after anything that was thrown: what the error says itself, and `backoff` for what says nothing. */
export function retryClassOf(error: unknown): RetryClass {
  if (typeof error !== 'object' || error === null || !('retry' in error)) return 'backoff';
  const { retry } = error;
  return retry === 'wait' || retry === 'terminal' ? retry : 'backoff';
}
