/** How much a listener takes from those who reach its port. Everyone in the cluster may. */
export interface ListenerLimits {
  /** Open connections. Above it, the oldest of the address with the most that is not being answered goes. */
  readonly maxConnections: number;
  /** One body. The API server takes objects of 3 MiB, and a review has two of them. */
  readonly maxBodyBytes: number;
  /** All bodies of which the end has not come. Above it, the oldest of the address with the most goes. */
  readonly maxUnfinishedBytes: number;
  /** All reviews of one address that are being judged, by what they take in memory; those of all addresses may take twice as much. */
  readonly maxJudgedBytes: number;
  /** How long the head of a request may take, and the handshake before it. */
  readonly headTimeoutMs: number;
  /** How long a body may take from the head on: 5 s for 8 MiB is 1.6 MiB/s, and the API server is near. */
  readonly bodyTimeoutMs: number;
  /** Longer than the API server keeps a connection that it does not use (90 s): the one of the two that ends it first should be the one that asks. */
  readonly idleMs: number;
}

/** What a pod of 512 MiB bears beside its own work, and more than API servers ask for. */
export const usualLimits: ListenerLimits = {
  maxConnections: 1024,
  maxBodyBytes: 8 * 1024 * 1024,
  maxUnfinishedBytes: 32 * 1024 * 1024,
  maxJudgedBytes: 48 * 1024 * 1024,
  headTimeoutMs: 5000,
  bodyTimeoutMs: 5000,
  idleMs: 120_000,
};
