import type { Instant, KubernetesObject, ResourceDescriptor, RetryClass, Finding } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { Announcement, Decision } from '../decision/index.ts';
import { ActionError, atTheLatest } from '../decision/index.ts';

/** Why nothing moves. */
export interface Blocked<Reason extends string = string> {
  /** UpperCamelCase: the reason of conditions and events. */
  readonly reason: Reason;
  /** What is wrong, with which object, and what to do. */
  readonly message: string;
}

/** What keeps an object from being processed, as a value: an expected error is decided about, not thrown. */
export interface Problem extends Blocked {
  readonly retry: RetryClass;
}

/** The error in an object's status: that of the last reconcile, and since when reconciles have failed. */
export interface ProcessingError {
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** The longest pause between two tries, in milliseconds. Events last an hour by default, so there is always one that reports a lasting error. */
export const longestRetryMs = 30 * 60_000;

/**
 * How long what lasts is not reported again, in milliseconds. A little less than the pause between two looks, so that the look that is due is none too early; and
 * where it was looked at just before for another reason, the next one still comes within the hour.
 */
export const reportAgainMs = longestRetryMs * 0.9;

/**
 * The event that reports errors: at once where it is new, and from then on rarely, though it is decided at every look, so that there is always one that
 * reports it (seed 004).
 */
function problemEvent(note: string, isRepeated: boolean): Announcement {
  const again = isRepeated ? { atMostEveryMs: reportAgainMs } : {};
  return { type: 'Warning', reason: 'ProcessingError', note, ...again };
}

/**
 * The event for a condition that says that something fails: at the transition, when its cause or its words change, and about every half hour for as long as it lasts. To be decided at
 * each look; `before` is the condition of this type as it stood in the status. Where a call fails after the status was written, that is the status that was read for writing the failure.
 */
export function failureEvent({ status, reason, message }: Finding, before: Finding | undefined): Announcement {
  const isReported = before?.status === status && before.reason === reason && before.message === message;
  return problemEvent(message === '' ? reason : message, isReported);
}

/**
 * When to try again: after a second, then twice as late each time, up to half an hour. What is stored is only when it began, so that failing again
 * is no change of the status and starts no reconcile: the next pause is as long as the problem has lasted, and a second more.
 */
export function retryAt(since: Instant, now: Instant): Instant {
  return now + Math.min(Math.max(0, now - since) + 1000, longestRetryMs);
}

/** The problem that a failure is. */
export function problemOf(failure: unknown): Problem {
  const message = failure instanceof Error ? failure.message : String(failure);
  if (failure instanceof ActionError) return { reason: failure.code, message, retry: failure.retry };
  return { reason: 'InternalError', message, retry: 'backoff' };
}

/** What a reconcile that failed leaves behind. */
export interface ManagedError {
  readonly status: ProcessingError;
  readonly event: Announcement;
  readonly lookAgainAt: Instant;
}

/**
 * Turns a problem into what the user sees, an event `ProcessingError` and an error in the status, and into the time of the next try. `previous` is the
 * error in the status as it was seen; a success clears it by leaving it out.
 */
export function manageError(problem: Problem, previous: ProcessingError | undefined, now: Instant): ManagedError {
  const { reason, message, retry } = problem;
  // Of a time in the future, the pauses would not grow.
  const began = atTheLatest(instantOf(previous?.since) ?? now, now);
  return {
    status: { reason, message, since: timestamp(began) },
    event: problemEvent(message, previous?.message === message),
    // It may be over when the cluster changes, and is reported again meanwhile: look again, but rarely.
    lookAgainAt: retry === 'terminal' ? now + longestRetryMs : retryAt(began, now),
  };
}

/** An object whose status can tell of an error. */
export type Fallible = KubernetesObject & { readonly status?: object & { readonly processingError?: ProcessingError } };

/** What a reconcile that failed was about. */
export interface FailedSubject {
  readonly descriptor: ResourceDescriptor;
  readonly object: Fallible;
  /** When something falls due that waits for no pause, such as the deadline of an upgrade. In the past it counts for nothing: then it waits as the rest does. */
  readonly due?: Instant | undefined;
}

/**
 * The decision that reports a failure and does nothing else; the rest of the status stays as it was seen. What failed is tried again ever more slowly. What was
 * carried out beside it goes on at its own pace: it is examined again when the decision that failed wanted to.
 */
export function decideOnError(failure: unknown, subject: FailedSubject, now: Instant): Decision {
  const { descriptor, object, due = now } = subject;
  const managed = manageError(problemOf(failure), object.status?.processingError, now);
  return {
    actions: [],
    status: { descriptor, object, status: { ...object.status, processingError: managed.status } },
    events: [managed.event],
    lookAgainAt: Math.min(managed.lookAgainAt, due > now ? due : Infinity, plannedBeside(failure) ?? Infinity),
  };
}

const plannedBeside = (failure: unknown): Instant | undefined =>
  failure instanceof ActionError ? failure.lookAgainAt : undefined;

/** Whether a failure only means that we saw an old state, or have to stop: it is not reported, and the queue tries again at once. */
export function isSilent(failure: unknown): boolean {
  return failure instanceof ActionError && (failure.code === 'Stale' || failure.code === 'Aborted');
}
