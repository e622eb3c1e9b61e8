import { isApiError } from '@ordinal/client';
import type { Instant, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { messageOf } from '../cache/watch-failure.ts';
import type { ReconcileContext } from '../reconciler.ts';
import { awaitChange, requeueAfter } from '../result.ts';
import type { Result } from '../result.ts';
import { timestamp } from './condition.ts';
import { patchStatus } from './status.ts';

/** How the last reconcile ended, as a status shows it. */
export interface OutcomeStatus {
  readonly status?: 'Success' | 'Failure';
  /** When this was found; not when it was last confirmed. */
  readonly lastUpdate?: string;
  /** The error; absent after a success. */
  readonly reason?: string | undefined;
}

/** An object whose status shows the outcome. */
export interface WithOutcome extends KubernetesObject {
  readonly status?: OutcomeStatus;
}

/** The object that was reconciled, and its kind. */
export interface OutcomeTarget<Read extends WithOutcome, Write extends KubernetesObjectInput> {
  readonly descriptor: ResourceDescriptor<Read, Write>;
  readonly object: Read;
}

const firstDelayMs = 1_000;
/** Events live for about this long: with a longer delay there would be times without one that says what is wrong. Milliseconds. */
const longestCapMs = 6 * 3_600_000;

/** What managing an outcome needs of a reconcile's context. */
export type OutcomeContext = Pick<ReconcileContext, 'client' | 'clock' | 'events' | 'log'>;

/**
 * Notes a success: the failure's reason is cleared, and the next failure begins with the shortest delay again. The status is written only when it
 * said something else, so a resource that stays well is not written again and again.
 */
export async function manageSuccess<Read extends WithOutcome, Write extends KubernetesObjectInput>(
  context: OutcomeContext,
  { descriptor, object }: OutcomeTarget<Read, Write>,
  result: Result = awaitChange(),
): Promise<Result> {
  if (object.status?.status === 'Success' && object.status.reason === undefined) return result;
  const lastUpdate = timestamp(context.clock.now());
  await patchStatus(context, descriptor, object, {
    ...object.status,
    status: 'Success',
    lastUpdate,
    reason: undefined,
  });
  return result;
}

/**
 * Shows a failure and says when to try again: a warning event `ProcessingError`, the status with the error and the time, and a delay that doubles with every
 * failure in a row, from one second up to `capMs` (6 hours by default, and at most). The delay is read from the status, so a restart does not
 * begin anew. Where the status can't be written, it looks again after a second.
 */
export async function manageError<Read extends WithOutcome, Write extends KubernetesObjectInput>(
  context: OutcomeContext,
  { descriptor, object }: OutcomeTarget<Read, Write>,
  error: unknown,
  options: { readonly capMs?: number } = {},
): Promise<Result> {
  const reason = messageOf(error);
  context.events.publish({ regarding: object, type: 'Warning', reason: 'ProcessingError', note: reason });
  const now = context.clock.now();
  const delayMs = nextDelayMs(object.status, now, options.capMs ?? longestCapMs);
  try {
    await patchStatus(context, descriptor, object, {
      ...object.status,
      status: 'Failure',
      lastUpdate: timestamp(now),
      reason,
    });
  } catch (failure) {
    if (isApiError(failure, 'NotFound')) return awaitChange();
    context.log.warn({ error: messageOf(failure) }, 'the status could not be written');
    return requeueAfter(firstDelayMs);
  }
  return requeueAfter(delayMs);
}

/** Twice the time since the last failure, in whole seconds; a second after a success. */
function nextDelayMs(before: OutcomeStatus | undefined, now: Instant, capMs: number): number {
  if (before?.status !== 'Failure' || before.lastUpdate === undefined) return firstDelayMs;
  const sinceMs = Math.round((now - Date.parse(before.lastUpdate)) / 1000) * 1000;
  return Math.min(Math.max(2 * sinceMs, firstDelayMs), Math.min(capMs, longestCapMs));
}
