import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transport, TransportRequest } from '@ordinal/client';

/** A server that listens. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Puts a cluster on the network: what a transport answers in the process is answered over HTTP, requests to pods through the API server's proxy and
 * their logs included. `transportOf` says on whose behalf a bearer token speaks; undefined for an unknown one.
 */
export async function listenOn(transportOf: (token: string) => Transport | undefined): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const transport = transportOf(token);
    if (transport === undefined) {
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(unauthorized));
      return;
    }
    pass(transport, incoming, outgoing).catch(() => outgoing.destroy()); // As a lost connection looks.
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // A TCP server's address.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const unauthorized = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Unauthorized',
  message: 'Unauthorized',
  code: 401,
};

async function pass(transport: Transport, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array); // A request's stream has no encoding set.
  const reply = await transport.send({
    // Other methods are refused as unknown by the server.
    method: (incoming.method ?? 'GET') as TransportRequest['method'],
    path: incoming.url ?? '/',
    headers: headersOf(incoming),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    signal: gone.signal,
  });
  outgoing.writeHead(reply.status, { ...reply.headers });
  outgoing.flushHeaders();
  for await (const chunk of reply.body)
    if (!outgoing.write(chunk))
      await new Promise<void>((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  outgoing.end();
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
