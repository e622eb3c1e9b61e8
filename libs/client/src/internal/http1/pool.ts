import { TransportError } from '../../error.ts';
import type { TransportReply } from '../../transport.ts';
import type { WireRequest } from './connection.ts';
import { Connection } from './connection.ts';
import type { Connector } from './connector.ts';

/** An API server closes a connection that is idle for 90 s; one that is about to be closed must not get a request. */
const longestIdleMs = 60_000;

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections to one server, at most so many; the last one used is taken first, so that as few as possible stay in use. */
export class Pool {
  readonly #connect: Connector;
  readonly #limit: number;
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  readonly #connections = new Set<Connection>();
  /** Those that take no further request, as they were made with credentials of the past. */
  readonly #retired = new WeakSet<Connection>();
  readonly #waiting = new Set<Waiting>();
  #opening = 0;
  #retirements = 0;
  #closed = false;

  constructor(connect: Connector, limit: number) {
    this.#connect = connect;
    this.#limit = limit;
  }

  /** Sends a request on a free connection, or a new one; waits for one where there are as many as there may be. */
  async send(request: WireRequest): Promise<TransportReply> {
    const connection = this.#takeIdle() ?? (await this.#take(request.signal));
    return await connection.send(request);
  }

  /** Closes all connections; exchanges under way fail. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#connections) connection.destroy();
    for (const { reject } of this.#waiting) reject(closedError());
    this.#waiting.clear();
  }

  /** Sends nothing more on the connections of now: each is closed when its exchange is over. */
  retire(): void {
    this.#retirements += 1;
    for (const connection of this.#connections) this.#retired.add(connection);
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  #takeIdle(): Connection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      const { connection, since } = last;
      if (connection.isOpen && performance.now() - since < longestIdleMs) return connection;
      connection.destroy();
    }
    return undefined;
  }

  #take(signal: AbortSignal | undefined): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settled = (): boolean => {
        signal?.removeEventListener('abort', onAbort);
        return this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        resolve: (connection) => {
          settled();
          resolve(connection);
        },
        reject: (error) => {
          settled();
          reject(error as Error); // What a connector or this pool rejects with.
        },
      };
      const onAbort = (): void => {
        settled();
        reject(new TransportError('Aborted', 'aborted while waiting for a connection', { unsent: true }));
      };
      if (this.#closed) {
        reject(closedError());
        return;
      }
      if (signal?.aborted) {
        onAbort();
        return;
      }
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#connections.size + this.#opening < this.#limit) void this.#open();
    });
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    const retirements = this.#retirements;
    try {
      const socket = await this.#connect();
      const connection = new Connection(socket, {
        free: (one) => this.#free(one),
        closed: (one) => this.#gone(one),
      });
      this.#connections.add(connection);
      if (retirements !== this.#retirements) this.#retired.add(connection);
      if (this.#closed) connection.destroy();
      else this.#free(connection);
    } catch (error) {
      this.#next()?.reject(error);
    } finally {
      this.#opening -= 1;
    }
    this.#openForWaiting();
  }

  #free(connection: Connection): void {
    if (this.#retired.has(connection)) {
      connection.destroy();
      return;
    }
    const next = this.#next();
    if (next === undefined) this.#idle.push({ connection, since: performance.now() });
    else next.resolve(connection);
  }

  #gone(connection: Connection): void {
    this.#connections.delete(connection);
    const at = this.#idle.findIndex((one) => one.connection === connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#openForWaiting();
  }

  // One is opened for each that waits, not for all at once: where none can be opened, each fails for itself.
  #openForWaiting(): void {
    if (this.#waiting.size > this.#opening && this.#connections.size + this.#opening < this.#limit && !this.#closed)
      void this.#open();
  }

  #next(): Waiting | undefined {
    return this.#waiting.values().next().value;
  }
}

function closedError(): TransportError {
  return new TransportError('ConnectionFailed', 'the transport is closed', { unsent: true });
}
