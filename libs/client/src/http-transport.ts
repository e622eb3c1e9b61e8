import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import type * as undici from 'undici';
import type { ApiServer } from './api-server.ts';
import { TransportError } from './error.ts';
import { ConnectFailure, connectorFor } from './internal/connection.ts';
import { openWebSocket } from './internal/websocket.ts';
import type { Transport, TransportReply, TransportRequest } from './transport.ts';

/** How the pool behaves. */
export interface HttpTransportOptions {
  /** One HTTP/2 session for calls and as many as needed for watches, where the server offers it. True unless told. */
  readonly http2?: boolean;
  /** Asks for compressed replies. False unless told: see `docs/decisions`. */
  readonly compression?: boolean;
  /** Connections for calls over HTTP/1.1; further calls wait. Watches have connections of their own. 32 unless told. */
  readonly connections?: number;
}

/**
 * The transport over a network: connections to one API server that are kept and shared by all that use it. Nothing is connected, and the HTTP
 * library is not loaded, before the first request.
 */
export function httpTransport(server: ApiServer, options: HttpTransportOptions = {}): Transport {
  const url = new URL(server.url);
  const basePath = url.pathname.replace(/\/+$/, '');
  let pools: Promise<Pools> | undefined;
  let closed = false;

  const sendOnce = async (request: TransportRequest): Promise<TransportReply & { readonly authorized: string }> => {
    if (closed) throw new TransportError('ConnectionFailed', 'the transport is closed', { unsent: true });
    pools ??= openPools(server, url.origin, options);
    try {
      const { headers } = await server.credentials();
      const reply = await poolFor(await pools, request).request({
        method: request.method,
        path: basePath + request.path,
        headers: headersOf(request, headers, options.compression === true),
        body: request.body ?? null,
        signal: request.signal ?? null,
        // Deadlines are the caller's, by its clock.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const replyHeaders = flatten(reply.headers);
      return {
        status: reply.statusCode,
        headers: replyHeaders,
        body: chunksOf(reply.body, replyHeaders['content-encoding'], request.signal),
        authorized: headers['authorization'] ?? '',
      };
    } catch (error) {
      throw transportErrorOf(error, request.signal);
    }
  };

  return {
    async send(request) {
      const reply = await sendOnce(request);
      if (reply.status !== 401) return reply;
      // The token may have been rotated since it was read. Nothing was done, so with another token the request is sent again.
      server.refresh();
      const { headers } = await server
        .credentials()
        .catch((error: unknown) => Promise.reject(transportErrorOf(error, request.signal)));
      if (headers['authorization'] === undefined || headers['authorization'] === reply.authorized) return reply;
      await discard(reply.body);
      return sendOnce(request);
    },
    connect: (request) => openWebSocket(server, { ...request, path: basePath + request.path }),
    async close() {
      closed = true;
      const opened = await pools?.catch(() => undefined);
      await Promise.all(Object.values(opened ?? {}).map((pool: undici.Pool) => pool.destroy()));
    },
  };
}

interface Pools {
  readonly calls: undici.Pool;
  /** Apart, since a stream that stays open takes a place that a call would wait for. */
  readonly watches: undici.Pool;
  /** HTTP/1.1: undici joins the values of a repeated header over HTTP/2, and the API server takes them for one. */
  readonly repeating: undici.Pool;
}

async function openPools(server: ApiServer, origin: string, options: HttpTransportOptions): Promise<Pools> {
  const { Pool, buildConnector } = await import('undici');
  const allowH2 = options.http2 ?? true;
  const shared = {
    connect: connectorFor(server, buildConnector, { allowH2 }),
    allowH2,
    // Silence of a connection that died without a word is found by pings.
    pingInterval: 15_000,
    keepAliveTimeout: 60_000,
    maxConcurrentStreams: 100,
  };
  return {
    calls: new Pool(origin, { ...shared, connections: allowH2 ? 1 : (options.connections ?? 32) }),
    watches: new Pool(origin, { ...shared, connections: null }),
    repeating: new Pool(origin, {
      ...shared,
      connect: connectorFor(server, buildConnector, { allowH2: false }),
      allowH2: false,
      connections: options.connections ?? 32,
    }),
  };
}

function poolFor(pools: Pools, request: TransportRequest): undici.Pool {
  if (Object.values(request.repeatedHeaders ?? {}).some((values) => values.length > 1)) return pools.repeating;
  return isWatch(request) ? pools.watches : pools.calls;
}

function isWatch(request: TransportRequest): boolean {
  return request.method === 'GET' && /[?&](?:watch|follow)=true(?:&|$)/.test(request.path);
}

function headersOf(
  request: TransportRequest,
  credentials: Readonly<Record<string, string>>,
  compression: boolean,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...credentials, ...request.headers };
  for (const [name, values] of Object.entries(request.repeatedHeaders ?? {})) headers[name] = [...values];
  // A watch is a trickle: what a compressor holds back would come late.
  if (compression && !isWatch(request)) headers['accept-encoding'] = 'gzip';
  return headers;
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

async function* chunksOf(
  body: Readable,
  encoding: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = encoding === 'gzip' ? body.pipe(createGunzip({ chunkSize: 64 * 1024 })) : body;
  // A pipe does not pass failures on.
  if (stream !== body) body.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw transportErrorOf(error, signal);
  } finally {
    body.on('error', () => undefined).destroy();
  }
}

// A body that nobody begins to read would hold its connection for ever.
async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.return?.();
}

function transportErrorOf(error: unknown, signal: AbortSignal | undefined): TransportError {
  if (error instanceof TransportError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (signal?.aborted) return new TransportError('Aborted', message, { cause: error });
  const code = (error as { readonly code?: unknown }).code;
  if (
    code === 'Z_DATA_ERROR' ||
    code === 'Z_BUF_ERROR' ||
    (error instanceof Error && error.name === 'HTTPParserError')
  ) {
    return new TransportError('MalformedReply', message, { cause: error });
  }
  return new TransportError('ConnectionFailed', message, { cause: error, unsent: error instanceof ConnectFailure });
}
