import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@ordinal/client';
import type { Status, Transport, TransportChannel } from '@ordinal/client';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { channelProtocols } from '../cluster/channel-protocol.ts';

const portForward =
  'the simulated cluster forwards no ports; ask its pods through the API server: kubectl get --raw /api/v1/namespaces/NAMESPACE/pods/NAME:PORT/proxy/';

/** A request to change the connection's protocol, as Node's HTTP server hands it over. */
export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The subprotocols of logs. What a client speaks that names none is the first. */
const logProtocols = ['', 'binary.k8s.io', 'base64.binary.k8s.io'];

/** Joins WebSockets of clients to channels of a transport: how commands in pods, and their logs, come over the network. */
export class Upgrades {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.values().next().value ?? false,
  });

  /** Opens a channel for the request, and joins it to the client's WebSocket. Where the transport refuses it, the client gets that as a reply. */
  async answer(transport: Transport, { incoming, socket, head }: Upgrade): Promise<void> {
    // A client that goes away meanwhile is no mistake of ours.
    socket.on('error', () => socket.destroy());
    const path = incoming.url ?? '/';
    try {
      if (/\/portforward(\?|$)/.test(path)) {
        refuse(socket, 501, portForward);
        return;
      }
      const isLog = /\/log(\?|$)/.test(path);
      const supported = isLog ? logProtocols : channelProtocols;
      const offered = offeredBy(incoming);
      const protocol = offered.find((name) => supported.includes(name));
      if (protocol === undefined) {
        refuse(
          socket,
          403,
          `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${supported.join(' ')}]`,
        );
        return;
      }
      // The server of WebSockets takes the first that is offered.
      if (protocol !== '') incoming.headers['sec-websocket-protocol'] = protocol;
      const channel = isLog
        ? await logChannel(transport, path, protocol)
        : await transport.connect({ method: 'GET', path, protocols: [protocol] });
      const isText = protocol.includes('base64');
      this.#sockets.handleUpgrade(incoming, socket, head, (client) => void join(client, channel, isText));
    } catch (error) {
      if (error instanceof ApiError) refuse(socket, error.status.code, error.status);
      else refuse(socket, 501, error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends all WebSockets. */
  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }
}

/** The subprotocols that a client offers, in its order; the nameless one where it names none. */
function offeredBy({ headers }: IncomingMessage): readonly string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

/** The log of a container, after an empty message that shows the client that it is connected. */
async function logChannel(transport: Transport, path: string, protocol: string): Promise<TransportChannel> {
  const closed = new AbortController();
  const { status, body } = await transport.send({ method: 'GET', path, signal: closed.signal });
  if (status !== 200) throw new ApiError(JSON.parse(await textOf(body)) as Status, path);
  const isText = protocol.startsWith('base64');
  return {
    send: () => undefined,
    close: () => closed.abort(),
    messages: (async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array();
      for await (const chunk of body) yield isText ? Buffer.from(Buffer.from(chunk).toString('base64')) : chunk;
    })(),
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function join(client: WebSocket, channel: TransportChannel, isText: boolean): Promise<void> {
  client.on('message', (data) => channel.send(bytesOf(data)));
  client.on('close', () => channel.close());
  client.on('error', () => channel.close());
  for await (const message of channel.messages) client.send(message, { binary: !isText });
  client.close(1000);
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** Answers in plain HTTP: a Status, or what is wrong in words. */
export function refuse(socket: Duplex, code: number, reason: string | object): void {
  const status =
    typeof reason === 'object'
      ? reason
      : {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: reason,
          reason: code === 501 ? 'NotImplemented' : 'Forbidden',
          code,
        };
  const body = JSON.stringify(status);
  socket.end(
    `HTTP/1.1 ${code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
