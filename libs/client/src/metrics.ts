/** What a call does, as RBAC names it; `connect` for exec and proxy, `request` for calls by path. */
export type RequestVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  | 'connect'
  | 'request';

/** One request that ended; a call that was repeated gives several. */
export interface RequestRecord {
  readonly verb: RequestVerb;
  /** Empty for the core group and for requests by path. */
  readonly group: string;
  /** The plural name, or empty for requests by path. */
  readonly resource: string;
  readonly subresource: string;
  /** The HTTP status, or the code of the `TransportError`. */
  readonly code: string;
  /** From sending until the reply was read; for a watch until its head arrived. Milliseconds. */
  readonly durationMs: number;
}

/** Where a client reports its requests. */
export interface ClientMetrics {
  observe(record: RequestRecord): void;
}
