import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ApiServer, Credentials, TlsMaterial } from './api-server.ts';
import { TransportError } from './error.ts';
import { connectorFor } from './internal/http1/connector.ts';
import { Pool } from './internal/http1/pool.ts';
import { requestHead } from './internal/http1/request-head.ts';
import { openWebSocket } from './internal/websocket.ts';
import type { Transport, TransportReply, TransportRequest } from './transport.ts';

/** How the pool behaves. */
export interface HttpTransportOptions {
  /** Asks for compressed replies. False by default: see `docs/decisions`. */
  readonly compression?: boolean;
  /** Connections for calls; further calls wait. 32 by default. Watches and followed logs have one each beside them. */
  readonly connections?: number;
  /** Connections for requests that pods and services answer, by way of the API server's proxy; further ones wait. 128 by default. */
  readonly proxied?: number;
}

/**
 * The transport over a network: connections to one API server that are kept and shared by all that use it, over HTTP/1.1 (`docs/decisions/0012`
 * says why). Nothing is connected before the first request.
 */
export function httpTransport(server: ApiServer, options: HttpTransportOptions = {}): Transport {
  const url = new URL(server.url);
  const basePath = url.pathname.replace(/\/+$/, '');
  const connect = connectorFor(server);
  const calls = new Pool(connect, options.connections ?? 32);
  // A pod answers when it wants to, and must not keep others' calls waiting.
  const proxied = new Pool(connect, options.proxied ?? 128);
  // What lasts for minutes would leave no connection for calls.
  const streams = new Pool(connect, Number.POSITIVE_INFINITY);

  const credentials = async (): Promise<Credentials> => {
    try {
      return await server.credentials();
    } catch (error) {
      throw new TransportError('ConnectionFailed', messageOf(error), { cause: error, unsent: true });
    }
  };
  let known: { readonly tls: TlsMaterial; readonly text: string } | undefined;
  // A connection goes on with the certificate that it was made with, and the server refuses it once that has expired.
  const noteTls = (tls: TlsMaterial): void => {
    if (known?.tls === tls) return;
    const text = JSON.stringify(tls);
    if (known !== undefined && known.text !== text) {
      calls.retire();
      streams.retire();
      proxied.retire();
    }
    known = { tls, text };
  };
  const sendOnce = async (request: TransportRequest): Promise<TransportReply & { readonly shown: string }> => {
    const { headers, tls } = await credentials();
    noteTls(tls);
    const isStream = lasts(request);
    // A watch is a trickle: what a compressor holds back would come late.
    const compressed = options.compression === true && !isStream;
    const reply = await (isProxied(request) ? proxied : isStream ? streams : calls).send({
      head: requestHead(request, { host: url.host, basePath, credentials: headers, compressed }),
      body: request.body,
      signal: request.signal,
    });
    const isPacked = isGzip(reply, compressed);
    return {
      status: reply.status,
      headers: reply.headers,
      body: isPacked ? unpacked(reply.body) : reply.body,
      shown: shownIn({ headers, tls }),
    };
  };

  return {
    async send(request) {
      const reply = await sendOnce(request);
      if (reply.status !== 401) return reply;
      // The token may have been rotated since it was read. Nothing was done, so with another token the request is sent again.
      server.refresh();
      if (shownIn(await credentials()) === reply.shown) return reply;
      await discard(reply.body);
      return sendOnce(request);
    },
    connect: (request) => openWebSocket(server, { ...request, path: basePath + request.path }),
    close() {
      calls.close();
      streams.close();
      proxied.close();
      return Promise.resolve();
    },
  };
}

// Whether a reply is compressed, as it was asked to be. What was not asked for is not unpacked: a few bytes may become any number.
function isGzip({ headers, body }: TransportReply, asked: boolean): boolean {
  const { 'content-encoding': encoding } = headers;
  if (encoding === undefined || encoding === 'identity') return false;
  if (asked && encoding === 'gzip') return true;
  void body[Symbol.asyncIterator]().return?.();
  throw new TransportError('MalformedReply', `the reply has content-encoding ${encoding}, which was not asked for`);
}

// What the server knows the caller by.
function shownIn({ headers, tls }: Credentials): string {
  return `${headers['authorization'] ?? ''} ${tls.cert ?? ''}`;
}

/** Whether it is a pod or a service that answers, by way of the API server. */
function isProxied({ path }: TransportRequest): boolean {
  return /^\/api\/v1\/namespaces\/[^/?]+\/(?:pods|services)\/[^/?]+\/proxy(?:[/?]|$)/.test(path);
}

function lasts({ method, path }: TransportRequest): boolean {
  return method === 'GET' && /[?&](?:watch|follow)=true(?:&|$)/.test(path);
}

async function* unpacked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = Readable.from(body);
  const stream = packed.pipe(createGunzip({ chunkSize: 64 * 1024 }));
  // A pipe does not pass failures on.
  packed.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw damageOf(error);
  } finally {
    packed.destroy();
  }
}

// A body that is never read would hold its connection forever.
async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.return?.();
}

function damageOf(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  return new TransportError('MalformedReply', `the reply can't be unpacked: ${messageOf(error)}`, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
