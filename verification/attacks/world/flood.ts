import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { readReply, reviewRequest } from '../../../libs/runtime/test/listener.ts';

/** A connection to the port of the webhooks, as any client that reaches it can open one. It is closed where the listener has hung up. */
export async function open(port: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()));
  return socket;
}

/** How many bodies, and of how many bytes each. */
export interface Bodies {
  readonly count: number;
  readonly length: number;
}

/** How long unfinished bodies are kept, in milliseconds. */
const keptMs = 3000;

/** Sends bodies whose end never comes to a webhook, one on each connection, and keeps them for a few seconds. */
export async function unfinishedBodies(port: number, path: string, { count, length }: Bodies): Promise<void> {
  const head = `POST ${path}?timeout=86400s HTTP/1.1\r\nhost: a\r\ncontent-length: ${length + 1}\r\n\r\n`;
  const piece = Buffer.alloc(64 * 1024, ' ');
  const sockets: TLSSocket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = (await open(port)).resume();
    sockets.push(socket);
    socket.write(head);
    for (let sent = 0; sent < length; sent += piece.length)
      socket.write(piece.subarray(0, Math.min(piece.length, length - sent)));
  }
  await pause(keptMs);
  for (const socket of sockets) socket.destroy();
}

/** Sends whole reviews to a webhook, one on each connection and all at a time, and waits for their answers. */
export async function reviews(port: number, path: string, { count, request }: { count: number; request: object }) {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write(reviewRequest(path, request));
      await readReply(socket);
      socket.destroy();
    }),
  );
}
