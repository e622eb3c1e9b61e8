import { isIP, Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { ExternalError } from '@ordinal/lifecycle';
import { MessageGuard } from './messages.ts';

/** Where a socket goes, and what may come from there. */
export interface PostgresTarget {
  readonly host: string;
  readonly port: number;
  /** TLS with a certificate for the host, or none. */
  readonly sslMode: 'verify-full' | 'disable';
  /** Resolves and checks the host. */
  readonly lookup: LookupFunction;
  /** How much the server may send in the life of the connection, in bytes. */
  readonly maxReplyBytes: number;
}

/** Asks a PostgreSQL server to speak TLS: the length of the request, and its number. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * The connection that pg is given. Whatever pg asks for, it goes to its target, by way of the target's look-up, and speaks TLS where it has to; and pg reads
 * whole, well-formed messages only, up to a bound. What breaks that ends it with an `ExternalError` of code `ReplyTooLarge` or `MalformedReply`.
 */
export class PostgresSocket extends Duplex {
  private readonly target: PostgresTarget;
  private readonly guard = new MessageGuard();
  private socket = new Socket();
  private received = 0;
  private isOpen = false;

  constructor(target: PostgresTarget) {
    super({ allowHalfOpen: false });
    this.target = target;
    this.socket.on('error', (error) => this.destroy(error));
  }

  /** Connects to the target; what the caller names instead (a path of a Unix socket, say) does not count. */
  connect(): this {
    const { host, port, lookup, sslMode } = this.target;
    this.socket.once('connect', () => (sslMode === 'disable' ? this.opened() : this.askForTls()));
    this.socket.once('close', () => this.left());
    this.socket.connect({ host, port, lookup });
    return this;
  }

  /** As of a socket. */
  setNoDelay(isWanted?: boolean): this {
    this.socket.setNoDelay(isWanted);
    return this;
  }

  /** Takes more of what the server sends. */
  override _read(): void {
    this.socket.resume();
  }

  /** Sends on what pg sends. */
  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, done);
  }

  /** Sends what is left, and ends. */
  override _final(done: () => void): void {
    this.socket.end(done);
  }

  /** Gives the socket up. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }

  private askForTls(): void {
    this.socket.write(tlsRequest);
    this.socket.once('data', (answer) => {
      // Exactly this letter: what came with it would be taken for something that was said under TLS.
      if (answer.toString('latin1') === 'S') return this.speakTls();
      const message = 'PostgreSQL: the server does not speak TLS: set sslMode to disable, where that is meant';
      this.destroy(new ExternalError('Refused', message, { applied: 'no' }));
    });
  }

  private speakTls(): void {
    const { host } = this.target;
    const named = isIP(host) === 0 ? { servername: host } : {};
    const secure = connectTls({ socket: this.socket, host, ...named, rejectUnauthorized: true });
    secure.on('error', (error) => this.destroy(error)).once('close', () => this.left());
    secure.once('secureConnect', () => this.opened());
    this.socket = secure;
  }

  private opened(): void {
    this.isOpen = true;
    this.socket.on('data', (chunk: Buffer) => this.receive(chunk)).on('end', () => this.push(null));
    this.emit('connect');
  }

  /** What was received before the end may not have been read yet; before it was open there is nothing to read, and only the caller learns of the end. */
  private left(): void {
    if (!this.isOpen || !this.socket.readableEnded) this.destroy();
  }

  private receive(chunk: Buffer): void {
    const { maxReplyBytes } = this.target;
    this.received += chunk.length;
    if (this.received > maxReplyBytes) {
      const message = `PostgreSQL: the server has sent more than ${maxReplyBytes} bytes`;
      return void this.destroy(new ExternalError('ReplyTooLarge', message));
    }
    try {
      const messages = this.guard.take(chunk);
      if (messages.length > 0 && !this.push(messages)) this.socket.pause();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
