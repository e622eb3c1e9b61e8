import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { ApiServer } from '../api-server.ts';
import { TransportError } from '../error.ts';
import type { TransportChannel, TransportRequest } from '../transport.ts';
import { connectorFor } from './http1/connector.ts';
import { Inbox } from './inbox.ts';
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
      maxPayload: largestMessageBytes,
    },
  );
  const onAbort = (): void => channel.terminate();
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  channel.on('close', () => request.signal?.removeEventListener('abort', onAbort));
  // A server that goes on sending would be listened to until it answers the goodbye: nothing more is read once that is written.
  const close = (): void => {
    channel.close(1000);
    socket.destroySoon();
  };
  const messages = messagesOf(channel, close);
  await opened(channel, request);
  return { send: (message) => channel.send(message), close, messages };
}

/** A kubelet's messages are of 32 KiB at most. */
const largestMessageBytes = 1 << 20;

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

function messagesOf(channel: WebSocket, close: () => void): AsyncIterable<Uint8Array> {
  const inbox = new Inbox(channel);
  channel.on('message', (data: Buffer) => inbox.push(data));
  channel.on('error', (error) => inbox.end(new TransportError(codeOf(error), error.message, { cause: error })));
  channel.on('close', () => inbox.end());
  return inbox.read(close);
}

function codeOf(error: Error): TransportError['code'] {
  return 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'ReplyTooLarge' : 'ConnectionFailed';
}

function flattened(repeated: TransportRequest['repeatedHeaders'] = {}): Record<string, string[]> {
  return Object.fromEntries(Object.entries(repeated).map(([name, values]) => [name, [...values]]));
}
