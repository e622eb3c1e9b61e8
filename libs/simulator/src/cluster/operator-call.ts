import type { Status } from '@ordinal/client';

/** Something that an operator does outside itself, as faults see it. */
export interface OperatorCall {
  readonly operator: string;
  /**
   * `write`: a request that changes objects, `read`: one that does not, `external`: what asks anyone but the API server, also by way of it (a command in a
   * container, a request through its proxy).
   */
  readonly kind: 'write' | 'read' | 'external';
  /** The how many-th call of its kind it is since the operator was first started, beginning with 1. */
  readonly number: number;
  readonly method: string;
  /** The API path without its query, or the URL of an external call. */
  readonly target: string;
}

/** What becomes of a call. */
export type Verdict =
  /** The operator's process ends here. */
  | { readonly crash: true }
  /** The API server answers so, and does nothing. */
  | { readonly refuse: Status }
  /** No reply ever comes: the connection breaks, before the request was carried out or after. */
  | { readonly lose: true }
  /** The call waits for so long first. */
  | { readonly delayMs: number }
  /** An external service answers with this status, and does nothing. */
  | { readonly status: number }
  /** The other side never answers, and the connection stays open. */
  | { readonly hang: true };

/** What faults are made of: hooks around each call of an operator. */
export interface OperatorHooks {
  /** Asked when the operator sends a call; the call was not carried out yet. */
  before?(call: OperatorCall): Verdict | undefined;
  /** Asked when the call was carried out; the reply was not received yet. */
  after?(call: OperatorCall): Verdict | undefined;
}
