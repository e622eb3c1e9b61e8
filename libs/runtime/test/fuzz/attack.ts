import type { TLSSocket } from 'node:tls';
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostileRequest } from './hostile-request.ts';
import { hostileRequest, seeded } from './hostile-request.ts';

/** How much is sent where. */
export interface FuzzOptions {
  readonly port: number;
  readonly seed: number;
  readonly requests: number;
  /** Connections at a time; 16 by default. */
  readonly workers?: number;
}

/** What came back. */
export interface FuzzResult {
  readonly requests: number;
  /** Replies, by status. Not every request gets one. */
  readonly replies: ReadonlyMap<number, number>;
}

/** An answer to one request comes sooner than this, where one is due, in milliseconds; without one the next request goes on another connection. */
const answerMs = 40;

/** Sends hostile requests over TLS, several on a connection, from several connections at a time. */
export async function fuzz({ port, seed, requests, workers = 16 }: FuzzOptions): Promise<FuzzResult> {
  const replies = new Map<number, number>();
  const count = (text: string): void => {
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g))
      replies.set(Number(status), (replies.get(Number(status)) ?? 0) + 1);
  };
  const worker = async (index: number): Promise<void> => {
    const random = seeded(seed * 1000 + index);
    let left = Math.ceil(requests / workers);
    while (left > 0) {
      const connection = await opened(port, count);
      for (let on = true; on && left > 0; left -= 1) on = await send(connection, hostileRequest(random));
      connection.socket.destroy();
      connection.plain.destroy();
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => worker(index)));
  return { requests: workers * Math.ceil(requests / workers), replies };
}

interface Opened {
  readonly plain: Socket;
  readonly socket: TLSSocket;
}

async function opened(port: number, onText: (text: string) => void): Promise<Opened> {
  const plain = connectPlain({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => undefined);
  const socket = connect({ socket: plain, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => onText(chunk.toString('latin1')));
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()));
  return { plain, socket };
}

/** Sends one; false where the connection is no good any more. */
async function send({ plain, socket }: Opened, { bytes, pieces, then }: HostileRequest): Promise<boolean> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += size) {
    if (!socket.writable) return false;
    socket.write(bytes.subarray(at, at + size));
    if (pieces > 1) await pause(0);
  }
  if (then === 'send-on') return socket.writable;
  if (then === 'half-close') socket.end();
  if (then === 'leave') return false;
  if (then === 'reset') {
    // With something unread the system resets the connection.
    socket.pause();
    await pause(1);
    plain.destroy();
    return false;
  }
  const wait = new AbortController();
  await Promise.race([
    new Promise((resolve) => socket.once('data', resolve).once('close', resolve)),
    pause(answerMs, undefined, { signal: wait.signal }).catch(() => undefined),
  ]);
  wait.abort();
  socket.removeAllListeners('close');
  return then === 'wait' && socket.writable;
}
