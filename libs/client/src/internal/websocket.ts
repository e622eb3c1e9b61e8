import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { ApiServer } from '../api-server.ts';
import { TransportError } from '../error.ts';
import type { TransportChannel, TransportRequest } from '../transport.ts';
import { connectorFor } from './http1/connector.ts';
import { readRefusal } from './reply.ts';

/** Opens a WebSocket to an API server. Rejects with an `ApiError` where the server answers with anything but the upgrade. */
export async function openWebSocket(
  server: ApiServer,
  request: TransportRequest & { readonly protocols: readonly string[] },
): Promise<TransportChannel> {
  const { WebSocket } = await import('ws');
  const url = new URL(server.url);
  const { headers } = await server.credentials();
  const socket = await connectorFor(server)();
  const channel = new WebSocket(
    `ws${url.protocol === 'https:' ? 's' : ''}://${url.host}${request.path}`,
    [...request.protocols],
    {
      createConnection: () => socket,
      headers: { ...headers, ...request.headers, ...flattened(request.repeatedHeaders) },
      perMessageDeflate: false,
    },
  );
  const onAbort = (): void => channel.terminate();
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  channel.on('close', () => request.signal?.removeEventListener('abort', onAbort));
  const messages = messagesOf(channel);
  await opened(channel, request);
  return {
    send: (message) => channel.send(message),
    close: () => channel.close(1000),
    messages,
  };
}

function opened(channel: WebSocket, request: TransportRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    let refused = false;
    channel.once('open', resolve);
    channel.on('error', (error) => {
      if (refused) return; // Only the end of a channel that never was: the refusal says why.
      reject(
        new TransportError(request.signal?.aborted ? 'Aborted' : 'ConnectionFailed', error.message, { cause: error }),
      );
    });
    channel.once('unexpected-response', (_request: unknown, reply: IncomingMessage) => {
      refused = true;
      const head = { status: reply.statusCode ?? 0, headers: {}, body: reply };
      readRefusal(head, `upgrade of ${request.path}`).then(({ error }) => reject(error), reject);
      reply.once('close', () => channel.terminate());
    });
  });
}

/** The messages from now on, kept until they are read. A failure of the channel is thrown after the messages before it. */
async function* drain(
  channel: WebSocket,
  queue: Uint8Array[],
  state: { failure?: Error; ended: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const message = queue.shift();
      if (message !== undefined) yield message;
      else if (state.failure !== undefined)
        throw new TransportError('ConnectionFailed', state.failure.message, { cause: state.failure });
      else if (state.ended) return;
      else await Promise.race([once(channel, 'message'), once(channel, 'close')]).catch(() => undefined);
    }
  } finally {
    channel.close(1000);
  }
}

function messagesOf(channel: WebSocket): AsyncIterable<Uint8Array> {
  const queue: Uint8Array[] = [];
  const state: { failure?: Error; ended: boolean } = { ended: false };
  channel.on('message', (data: Buffer) => queue.push(data));
  channel.on('error', (error) => (state.failure = error));
  channel.on('close', () => (state.ended = true));
  return drain(channel, queue, state);
}

function flattened(repeated: TransportRequest['repeatedHeaders'] = {}): Record<string, string[]> {
  return Object.fromEntries(Object.entries(repeated).map(([name, values]) => [name, [...values]]));
}
