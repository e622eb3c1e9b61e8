import { TransportError } from '@ordinal/client';
import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import type { Identity } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { answerHttp } from './exchange.ts';

/** A transport without a network: the same paths, headers and bytes as over HTTP, answered in the process. */
export class InProcessTransport implements Transport {
  readonly #server: ApiServer;
  readonly #identity: Identity;
  readonly #userAgent: string;
  readonly #open = new Set<() => void>();
  #closed = false;

  constructor(server: ApiServer, identity: Identity, userAgent: string) {
    this.#server = server;
    this.#identity = identity;
    this.#userAgent = userAgent;
  }

  /** Answers one request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    if (this.#closed) throw new TransportError('ConnectionFailed', 'the transport is closed', { unsent: true });
    if (request.signal?.aborted)
      throw new TransportError('Aborted', 'the request was aborted', { cause: request.signal.reason, unsent: true });
    return answerHttp(
      this.#server,
      { ...request, headers: { 'user-agent': this.#userAgent, ...request.headers } },
      { identity: this.#identity, open: this.#open },
    );
  }

  /** Refuses: a server without nodes has no streams. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return Promise.reject(
      new TransportError('ConnectionFailed', `no node answers ${request.path}: the server has no streams of its own`, {
        unsent: true,
      }),
    );
  }

  /** Ends all open watches. */
  close(): Promise<void> {
    this.#closed = true;
    for (const end of [...this.#open]) end();
    this.#open.clear();
    return Promise.resolve();
  }
}
