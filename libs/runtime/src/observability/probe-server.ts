import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Manager } from '../manager/manager.ts';

// An import would evaluate every export, of which some load Node's own undici: 14 MiB and a tenth of a second (seen with Node 24.21 and 26.10).
const { createServer } = process.getBuiltinModule('node:http');

/** What is served and where. */
export interface ProbeServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** All addresses by default. */
  readonly host?: string;
  /** Whose readiness `/readyz` shows. */
  readonly manager: Pick<Manager, 'readiness'>;
  /** Served at `/metrics`; not found without it. */
  readonly registry?: Registry;
}

/** A server that listens. */
export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` (200 as long as the process answers), `/readyz` (200, or 503 with each problem by kind and verb) and `/metrics`. Rejects where
 * the port can't be had.
 */
export async function serveProbes(options: ProbeServerOptions): Promise<ProbeServer> {
  const server = createServer((request, response) => void answer(request, response, options));
  await listen(server, options);
  // An address of a TCP server that listens is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, { port, host }: ProbeServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { manager, registry }: ProbeServerOptions,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0];
  if (path === '/healthz') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
  } else if (path === '/readyz') {
    const readiness = manager.readiness();
    response
      .writeHead(readiness.ready ? 200 : 503, { 'content-type': 'application/json' })
      .end(`${JSON.stringify(readiness)}\n`);
  } else if (path === '/metrics' && registry !== undefined) {
    const [status, body] = await registry.metrics().then(
      (text) => [200, text] as const,
      (error: unknown) => [500, `${String(error)}\n`] as const,
    );
    response.writeHead(status, { 'content-type': registry.contentType }).end(body);
  } else {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  }
}
