import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@ordinal/client';
import type { Transport, TransportChannel } from '@ordinal/client';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';

/** The subprotocol of commands in pods, as `kubectl exec` has spoken it since 1.31. */
const protocol = 'v5.channel.k8s.io';

const portForward =
  'the simulated cluster forwards no ports; ask its pods through the API server: kubectl get --raw /api/v1/namespaces/NAMESPACE/pods/NAME:PORT/proxy/';

/** A request to change the connection's protocol, as Node's HTTP server hands it over. */
export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Joins WebSockets of clients to channels of a transport: how commands in pods come over the network. */
export class Upgrades {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });

  /** Opens a channel for the request, and joins it to the client's WebSocket. Where the transport refuses it, the client gets that as a reply. */
  async answer(transport: Transport, { incoming, socket, head }: Upgrade): Promise<void> {
    // A client that goes away meanwhile is no mistake of ours.
    socket.on('error', () => socket.destroy());
    try {
      if (/\/portforward(\?|$)/.test(incoming.url ?? '')) {
        refuse(socket, 501, portForward);
        return;
      }
      if (!(incoming.headers['sec-websocket-protocol'] ?? '').includes(protocol)) {
        refuse(socket, 400, `only WebSockets with the subprotocol ${protocol} are served`);
        return;
      }
      const path = incoming.url ?? '/';
      const channel = await transport.connect({ method: 'GET', path, protocols: [protocol] });
      this.#sockets.handleUpgrade(incoming, socket, head, (client) => void join(client, channel));
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

async function join(client: WebSocket, channel: TransportChannel): Promise<void> {
  client.on('message', (data) => channel.send(bytesOf(data)));
  client.on('close', () => channel.close());
  client.on('error', () => channel.close());
  for await (const message of channel.messages) client.send(message);
  client.close(1000);
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** Answers in plain HTTP: a Status, or what is wrong in words. */
function refuse(socket: Duplex, code: number, reason: string | object): void {
  const status =
    typeof reason === 'object'
      ? reason
      : {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: reason,
          reason: code === 501 ? 'NotImplemented' : 'BadRequest',
          code,
        };
  const body = JSON.stringify(status);
  socket.end(
    `HTTP/1.1 ${code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
