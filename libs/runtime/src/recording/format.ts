import type { Instant } from '@ordinal/client';

/** An error as it stands in a recording: enough of it to be thrown again. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly applied?: string;
  readonly retryAfterMs?: number;
  readonly unsent?: boolean;
  /** The status of an `ApiError`. */
  readonly status?: unknown;
}

/** A request to the API server that was not answered by the caches, and its reply. */
export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined where no reply came. */
  readonly status?: number | undefined;
  /** What a GET brought, and why a write was refused: JSON, or a text. */
  readonly body?: unknown;
  readonly error?: RecordedError;
}

/** What was asked of something else than the API server, and what came back. */
export interface RecordedAnswer {
  /** Who was asked what: `http shop/sessions-0 GET 8080/role`. */
  readonly of: string;
  readonly value?: unknown;
  readonly error?: RecordedError;
}

/** One reconcile: what it observed, what it decided, and what came of it. */
export interface RecordedReconcile {
  readonly type: 'reconcile';
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  /** When it began. */
  readonly at: Instant;
  readonly tookMs: number;
  /** How many times in a row it had failed before. */
  readonly failures: number;
  readonly restoredAt?: Instant;
  /** What was looked for in the caches: `list pods shop`. */
  readonly asked: readonly string[];
  /** What the caches showed: for each kind the numbers of objects that stand before in the recording. */
  readonly seen: Readonly<Record<string, readonly number[]>>;
  /** How many objects an index had filed under a value: kind, index, value, number. */
  readonly counted: readonly (readonly [string, string, string, number])[];
  /** What the clock said, each time that it was asked. */
  readonly times: readonly Instant[];
  readonly random: readonly number[];
  readonly requests: readonly RecordedRequest[];
  readonly answers: readonly RecordedAnswer[];
  /** In order. Most reconciles have one; where it could not be carried out, there is another about that. */
  readonly decisions: readonly unknown[];
  /** What the reconcile has come to: when the controller looks again, or how it has failed. */
  readonly result: { readonly requeueAfterMs?: number | undefined; readonly error?: RecordedError };
  /** It was ended from outside, by a time-out or because the operator stopped. */
  readonly cutOff?: true;
}

/** One line of a recording. */
export type RecordingLine =
  | {
      readonly type: 'recording';
      readonly format: 1;
      /** The version of the operator. */
      readonly version: string;
      readonly at: Instant;
    }
  /** An object as a cache showed it. Named by its number in what follows. */
  | { readonly type: 'object'; readonly id: number; readonly kind: string; readonly object: unknown }
  | RecordedReconcile
  /** Reconciles that are not in the recording, for it had too much to take in. */
  | { readonly type: 'dropped'; readonly count: number; readonly until: Instant };
