import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a server that a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection. New ones are let through. */
  reset(): void;
  /**
   * Lets nothing through in either direction until `mend`. Connections stay open, and what was sent meanwhile arrives then, also where its sender has
   * closed the connection.
   */
  stall(): void;
  /** Resets every connection and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Passes connections on to a server. */
export async function tcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const late = new Set<Socket>();
  let state: 'open' | 'stalled' | 'cut' = 'open';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const server = createServer((client) => {
    keep(client);
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target);
    keep(upstream);
    client.pipe(upstream, { end: false });
    upstream.pipe(client);
    client.on('end', () => {
      if (state !== 'stalled') upstream.end();
    });
    client.on('close', () => {
      // What is on its way arrives, however late, although its sender has given up.
      if (state === 'stalled') late.add(upstream);
      else upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    if (state === 'stalled') for (const socket of [client, upstream]) socket.cork();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    reset,
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.cork();
    },
    cut() {
      state = 'cut';
      reset();
    },
    mend() {
      state = 'open';
      for (const socket of sockets) socket.uncork();
      for (const socket of late) {
        // A server drops the request of a connection whose end it sees: it gets the time to answer.
        setTimeout(() => socket.destroy(), 1000).unref();
      }
      late.clear();
    },
    close: async () => {
      reset();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
