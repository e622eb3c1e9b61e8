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
  /**
   * One HTTP/2 session for calls, where the server offers it; watches have connections of their own, over HTTP/1.1. False unless told: undici's
   * sessions do not survive a reset or a stall (`docs/decisions/0010-client-connections.md`).
   */
  readonly http2?: boolean;
  /** Asks for compressed replies. False unless told: see `docs/decisions`. */
  readonly compression?: boolean;
  /** Connections for calls where they go over HTTP/1.1; further calls wait. 32 unless told. */
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
  /**
   * Over HTTP/1.1, a connection for each: watches, for which a call would have to wait in one session; replies that are not JSON, since over HTTP/2
   * undici takes a connection that was cut for the end of a reply, which only JSON shows; and repeated headers, which it joins over HTTP/2.
   */
  readonly streams: undici.Pool;
}

async function openPools(server: ApiServer, origin: string, options: HttpTransportOptions): Promise<Pools> {
  const { Pool, buildConnector } = await import('undici');
  const open = (allowH2: boolean, connections: number | null): undici.Pool =>
    new Pool(origin, {
      connect: connectorFor(server, buildConnector, { allowH2 }),
      allowH2,
      connections,
      // A session that died without a word is found by pings.
      pingInterval: 15_000,
      keepAliveTimeout: 60_000,
      maxConcurrentStreams: 100,
    });
  const http2 = options.http2 ?? false;
  return { calls: open(http2, http2 ? 1 : (options.connections ?? 32)), streams: open(false, null) };
}

function poolFor({ calls, streams }: Pools, request: TransportRequest): undici.Pool {
  const isJson = request.headers?.['accept']?.startsWith('application/json') ?? false;
  const repeats = Object.values(request.repeatedHeaders ?? {}).some((values) => values.length > 1);
  return isWatch(request) || !isJson || repeats ? streams : calls;
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
