import type { Instant, RetryClass } from '@ordinal/client';
import type { ExternalCall } from './call.ts';
import type { ExternalError, ExternalErrorCode } from './error.ts';
import type { LookupResult } from './lookup.ts';
import type { PollIntervals } from './poll.ts';
import type { ExternalRecord } from './record.ts';
import type { ExternalView, Traits } from './system.ts';

/** What the owner lets us do outside. */
export interface ExternalPolicy {
  readonly create: boolean;
  readonly update: boolean;
  /** Whether the thing is deleted with its owner. */
  readonly delete: boolean;
  /** The name of a thing to take over; then nothing is ever created. */
  readonly importName?: string | undefined;
  /** The name of a final snapshot, where one is to be taken before the deletion. */
  readonly finalSnapshot?: string | undefined;
}

/** Everything that a decision about one thing outside depends on. */
export interface ExternalObservation<Desired, View extends ExternalView> {
  /** The owner's UID. */
  readonly owner: string;
  /** What to call the thing when talking to people: `database`. */
  readonly noun: string;
  readonly record: ExternalRecord | undefined;
  /** The highest incarnation that the owner has at other providers, so that each thing has a token that no other has. 0 unless given. */
  readonly incarnationElsewhere?: number;
  readonly lookup: LookupResult<View>;
  readonly desired: Desired;
  /** What of the desired the thing lacks; undefined where it has all of it. */
  readonly changeFor: (view: View) => Partial<Desired> | undefined;
  readonly policy: ExternalPolicy;
  readonly traits: Traits;
  readonly now: Instant;
  /** In [0, 1). */
  readonly random: number;
  readonly intervals: PollIntervals;
}

/** Why a thing stands where it stands. */
export type ExternalReason =
  | 'Available'
  | 'Creating'
  | 'Updating'
  | 'OutOfSync'
  | 'Failed'
  | 'BeingDeleted'
  | 'Deleting'
  | 'Gone'
  | 'Retained'
  | 'Settling'
  | 'Vanished'
  | 'Ambiguous'
  | 'OwnedByAnother'
  | 'ImportNotFound'
  | 'NotCreated'
  | 'InvalidSpec'
  | 'CallFailed'
  /** What is to be written in the cluster before the next call is refused there. */
  | 'Refused';

/** How a thing stands, for conditions and people. */
export interface ExternalStatus {
  readonly reason: ExternalReason;
  readonly message: string;
  /** Whether the provider has what is wanted; `Unknown` where that is not known now. */
  readonly synced: 'True' | 'False' | 'Unknown';
  /** Whether the thing can be used; `Unknown` where that is not known now. */
  readonly ready: 'True' | 'False' | 'Unknown';
  /** After a failure: how to go on. */
  readonly retry?: RetryClass;
  /** After a failed call or look: what it failed with. */
  readonly code?: ExternalErrorCode;
}

/** How a thing stands that can't be looked at now. */
export function failedStatus({ code, message, retry }: ExternalError, ready: ExternalStatus['ready']): ExternalStatus {
  return { reason: 'CallFailed', message: `${code}: ${message}`, synced: 'Unknown', ready, retry, code };
}

/** How a thing stands that stays where it is and as it is. */
export function retainedStatus(message: string): ExternalStatus {
  return { reason: 'Retained', message, synced: 'True', ready: 'True' };
}

/** Whether a thing is left where it is on purpose. */
export const isRetained = ({ reason }: { readonly reason: string }): boolean => reason === 'Retained';

/** What is to be done about one thing outside. */
export interface ExternalDecision<Desired, View extends ExternalView> {
  /** To be durable before the calls are made. */
  readonly record: ExternalRecord | undefined;
  readonly calls: readonly { readonly call: ExternalCall<Desired>; readonly because: string }[];
  readonly externalStatus: ExternalStatus;
  /** The thing, where there is exactly one. */
  readonly view?: View | undefined;
  readonly lookAgainAt?: Instant | undefined;
  /** Nothing of ours is out there any more, or what is stays by policy: the finalizer may go. */
  readonly done?: boolean;
}
