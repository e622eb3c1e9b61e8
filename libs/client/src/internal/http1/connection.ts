import type { Socket } from 'node:net';
import { TransportError } from '../../error.ts';
import type { TransportReply } from '../../transport.ts';
import { ReplyBody } from './reply-body.ts';
import { ReplyParser } from './reply-parser.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  /** Request line and headers, with the empty line that ends them. */
  readonly head: string;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Who owns a connection. */
export interface ConnectionOwner {
  /** Its exchange is over, and it can take another. */
  free(connection: Connection): void;
  /** It is closed and takes nothing more. */
  closed(connection: Connection): void;
}

interface Exchange {
  readonly parser: ReplyParser;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
  readonly reject: (error: unknown) => void;
  /** Once the head has come. */
  body: ReplyBody | undefined;
}

/** One connection to a server: one exchange at a time, kept open between them. */
export class Connection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #exchange: Exchange | undefined;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    // An idle connection does not keep a process alive.
    socket.unref();
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(failureOf(error)));
    socket.on('end', () => this.#ended());
    socket.on('close', () => {
      this.#fail(failureOf(new Error('the connection was closed')));
      this.#owner.closed(this);
    });
  }

  /** Whether a request can be sent on it. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable && this.#socket.writable;
  }

  /** Sends a request; resolves when the reply's head has come. The connection is free again when the body has come, or closed where it is not read. */
  send(request: WireRequest): Promise<TransportReply> {
    const { head, body, signal } = request;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        this.#owner.free(this);
        reject(abortOf(signal));
        return;
      }
      if (!this.isOpen) {
        reject(new TransportError('ConnectionFailed', 'the server has closed the connection', { unsent: true }));
        return;
      }
      const exchange: Exchange = {
        parser: this.#parser(resolve),
        signal,
        onAbort: () => this.destroy(abortOf(signal)),
        reject,
        body: undefined,
      };
      this.#exchange = exchange;
      signal?.addEventListener('abort', exchange.onAbort, { once: true });
      this.#socket.ref();
      this.#write(head, body);
    });
  }

  /** Closes it; an exchange under way ends with the failure. */
  destroy(failure: TransportError = new TransportError('ConnectionFailed', 'the transport is closed')): void {
    this.#fail(failure);
    this.#socket.destroy();
  }

  // One write, so that one record and one packet carry what fits in them.
  #write(head: string, body: WireRequest['body']): void {
    if (body === undefined || typeof body === 'string') {
      this.#socket.write(body === undefined ? head : head + body, 'utf8');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'utf8');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #parser(resolve: (reply: TransportReply) => void): ReplyParser {
    const socket = this.#socket;
    let abandoned: NodeJS.Timeout | undefined;
    const body = new ReplyBody({
      pause: () => {
        socket.pause();
        abandoned = setTimeout(() => this.destroy(unreadError()), longestUnreadMs).unref();
      },
      resume: () => {
        clearTimeout(abandoned);
        socket.resume();
      },
      cancel: () => this.destroy(new TransportError('Aborted', 'the rest of the reply is not read')),
    });
    return new ReplyParser({
      head: ({ status, headers }) => {
        if (this.#exchange !== undefined) this.#exchange.body = body;
        resolve({ status, headers, body });
      },
      body: (chunk) => body.push(chunk),
      end: (reusable) => {
        this.#end();
        clearTimeout(abandoned);
        body.complete();
        // A server that answers before it has read the whole request will take the rest of it for another one.
        if (!reusable || socket.writableLength > 0) socket.destroy();
        else {
          socket.resume();
          socket.unref();
          this.#owner.free(this);
        }
      },
    });
  }

  #read(chunk: Buffer): void {
    if (this.#exchange === undefined) {
      // Nothing was asked, so nothing can be an answer.
      this.#socket.destroy();
      return;
    }
    try {
      this.#exchange.parser.push(chunk);
    } catch (error) {
      this.#fail(error);
      this.#socket.destroy();
    }
  }

  #ended(): void {
    try {
      this.#exchange?.parser.close();
    } catch (error) {
      this.#fail(error);
    }
    this.#socket.destroy();
  }

  #fail(failure: unknown): void {
    const exchange = this.#end();
    if (exchange === undefined) return;
    if (exchange.body === undefined) exchange.reject(failure);
    else exchange.body.fail(failure);
  }

  #end(): Exchange | undefined {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.signal?.removeEventListener('abort', exchange.onAbort);
    return exchange;
  }
}

/** Who takes nothing of a reply for so long will not come back for it, and its connection is needed. */
const longestUnreadMs = 300_000;

function unreadError(): TransportError {
  return new TransportError('Aborted', `the reply was not read on for ${longestUnreadMs / 1000} s`);
}

function failureOf(error: Error): TransportError {
  return new TransportError('ConnectionFailed', error.message, { cause: error });
}

function abortOf(signal: AbortSignal | undefined): TransportError {
  const reason: unknown = signal?.reason;
  return new TransportError('Aborted', reason instanceof Error ? reason.message : String(reason), { cause: reason });
}
