import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A request as it came in. */
interface Heard {
  readonly method: string;
  readonly path: string;
  /** The header `authorization`; empty where there was none. */
  readonly authorization: string;
}

/** A server on the loopback address that remembers who has asked it what. */
export interface Listener {
  readonly url: string;
  readonly heard: readonly Heard[];
  stop(): Promise<void>;
}

/** Starts a monitoring service by examples/cloud-api/monitor-openapi.yaml, with as much of it as a set needs that is registered. */
export async function startMonitor(): Promise<Listener> {
  const heard: Heard[] = [];
  const monitors: { readonly monitorID: string; readonly owner: string; readonly idempotencyKey: string }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    heard.push({ method, path: url, authorization: headers.authorization ?? '' });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const reply = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      const { pathname, searchParams } = new URL(url, 'http://monitor.invalid');
      const known = monitors.find(({ monitorID }) => `/${monitorID}` === pathname);
      if (method === 'POST') {
        const { owner } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly owner: string };
        const idempotencyKey = String(headers['idempotency-key']);
        const made = { monitorID: `m${monitors.length + 1}`, owner, idempotencyKey };
        monitors.push(made);
        reply(201, made);
      } else if (pathname === '/')
        reply(200, { monitors: monitors.filter(({ owner }) => owner === searchParams.get('owner')) });
      else if (known) reply(200, known);
      else reply(404, {});
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a TCP server, never a string.
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async stop() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
