import type { KubernetesObject } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';

/** A change of one object. */
export interface ObservedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `plural.group`, or the plural name in the core group. */
  readonly kind: string;
  readonly object: KubernetesObject;
  readonly previous?: KubernetesObject;
}

/** A request of the operator, as the API server got it. */
export interface ObservedRequest {
  /** Who has asked: the whole name of a user that the operator acts as. */
  readonly user: string;
  readonly verb: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** The HTTP status of the reply, and the message of a refusal. */
  readonly status: number;
  readonly message?: string;
}

/** Something that must hold at every step of every history. It answers what is wrong, or undefined. */
export interface Invariant {
  /** Names it in reports: `at most one pod is down by our own hand (I4)`. */
  readonly name: string;
  /** Asked after each change of an object. */
  readonly afterChange?: (cluster: TestCluster, change: ObservedChange) => string | undefined;
  /** Asked after each request of the operator. */
  readonly afterRequest?: (cluster: TestCluster, request: ObservedRequest) => string | undefined;
  /** Asked when the history has converged. */
  readonly atEnd?: (cluster: TestCluster) => string | undefined;
}

/** What an oracle has found. */
export interface Violation {
  readonly oracle: string;
  readonly message: string;
  /** How many entries the trace had when it was found. */
  readonly traceLength: number;
}
