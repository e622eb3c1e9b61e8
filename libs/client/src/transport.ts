import type { CancelSignal } from './cancel-signal.ts';

/** One HTTP request to an API server, before credentials are added. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its query, beginning with a slash. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent once for each value, as `impersonate-group` must be. Names in lower case. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Aborts the exchange, the reading of the reply's body included. */
  readonly signal?: CancelSignal;
}

/** The reply's head, with its body still to be read. */
export interface TransportReply {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, chunk by chunk as it arrives. A reader that stops early ends the exchange. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A duplex channel of messages, as exec, attach and port-forward need it (WebSocket with the subprotocol `v5.channel.k8s.io`). */
export interface TransportChannel {
  send(message: Uint8Array): void;
  close(): void;
  readonly messages: AsyncIterable<Uint8Array>;
}

/**
 * The way to one API server. The real one is a pool of connections; the simulated cluster offers one without any network. A transport adds
 * credentials, and turns every failure below HTTP into a `TransportError`; replies of any status are replies, not errors.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportReply>;
  /** Opens a message channel; rejects with an `ApiError` where the server refuses the upgrade. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel>;
  /** Ends all connections. Exchanges under way are aborted. */
  close(): Promise<void>;
}
