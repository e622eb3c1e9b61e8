import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TransportError } from '@ordinal/client';
import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';
import { administrator } from '../api-server/index.ts';
import { bodyLimit } from '../api-server/transport/body.ts';
import type { Identity } from '../api-server/index.ts';
import { refuse, Upgrades } from './upgrade.ts';

/** How a server listens. */
export interface ListenOptions {
  /** The port; a free one by default, or when it is 0. */
  readonly port?: number;
  /** The loopback address by default: anyone who reaches the server is its administrator. */
  readonly host?: string;
  /** Listens with TLS: PEM texts. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The identity of each bearer token. Without `tokens`, everyone is the administrator who shows no token of a service account. */
  readonly tokens?: Readonly<Record<string, Identity>>;
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/** What is put on the network: an `ApiServer`, or a `SimulatedCluster`, whose nodes then answer for logs, commands and proxied requests. */
export interface Served {
  /** The way in for a client that acts as `identity`. */
  transport(identity: Identity): Transport;
  /** Whose token of a service account it is; undefined for any other text. One that counts for nothing is refused. */
  authenticate?(token: string): Identity | 'refused' | undefined;
}

/** For so long a connection may be without a request. */
const idleTimeoutMs = 120_000;

/** Puts a simulated API server or cluster on the network, so that `kubectl` and any client can talk to it. Its clock should be the system's. */
export async function listen(served: Served, options: ListenOptions = {}): Promise<Listening> {
  const transports = new Map<Identity, Transport>();
  const transportOf = (incoming: IncomingMessage): Transport | undefined => {
    const token = /^Bearer (.+)$/i.exec(incoming.headers.authorization ?? '')?.[1];
    const account = token === undefined ? undefined : served.authenticate?.(token);
    // Each token is an identity of its own, and there may be any number of them: none is kept.
    if (account !== undefined) return account === 'refused' ? undefined : served.transport(account);
    const identity = identityOf(token, options.tokens);
    const transport = transports.get(identity) ?? served.transport(identity);
    transports.set(identity, transport);
    return transport;
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const transport = transportOf(incoming);
    if (transport !== undefined) void respond(transport, { incoming, outgoing });
    else outgoing.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(unauthorized));
  };
  const http = options.tls ? createSecureServer({ ...options.tls }, handle) : createServer(handle);
  // Clients in Go keep connections for 90 seconds: one that is closed before meets their next request half-way.
  http.keepAliveTimeout = idleTimeoutMs;
  const upgrades = new Upgrades();
  http.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const transport = transportOf(incoming);
    if (transport === undefined) refuse(socket, 401, unauthorized);
    else void upgrades.answer(transport, { incoming, socket, head });
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, host, resolve);
  });
  // A TCP server's address is never a pipe's name.
  const { port } = http.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    async close() {
      for (const transport of transports.values()) await transport.close();
      upgrades.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

const anonymous: Identity = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const unauthorized = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

function identityOf(token: string | undefined, tokens: ListenOptions['tokens']): Identity {
  if (tokens === undefined) return administrator;
  return (token === undefined ? undefined : tokens[token]) ?? anonymous;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

async function respond(transport: Transport, { incoming, outgoing }: Exchange): Promise<void> {
  const abort = new AbortController();
  outgoing.once('close', () => abort.abort(new Error('the client has gone')));
  try {
    const reply = await transport.send(await requestOf(incoming, abort.signal));
    await send(reply, outgoing);
  } catch (error) {
    if (!(error instanceof TransportError) && !outgoing.headersSent && !outgoing.destroyed) {
      outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(error instanceof Error ? error.message : String(error));
      return;
    }
    // A reply that the simulation loses does not arrive here either: the connection ends without it.
    outgoing.destroy();
  }
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<TransportRequest> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    // A body that is too long is read to its end, so that the client hears why it is refused, but is not kept.
    if (size <= bodyLimit) chunks.push(chunk);
    size += chunk.length;
  }
  // What the server calls a client that does not name itself.
  const headers: Record<string, string> = { 'user-agent': 'unknown' };
  for (const [name, value] of Object.entries(incoming.headers)) if (typeof value === 'string') headers[name] = value;
  return {
    // Other methods are refused as unknown by the router.
    method: (incoming.method ?? 'GET') as TransportRequest['method'],
    path: incoming.url ?? '/',
    headers,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    signal,
  };
}

async function send(reply: TransportReply, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(reply.status, { ...reply.headers });
  outgoing.flushHeaders();
  for await (const chunk of reply.body)
    if (!outgoing.write(chunk))
      await new Promise<void>((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  outgoing.end();
}
