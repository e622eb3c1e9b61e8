import type { TLSSocket, ConnectionOptions } from 'node:tls';
import { connect } from 'node:tls';
import { expect } from 'vitest';
import { issueCertificate, serveWebhooks } from '../src/webhook/index.ts';
import type { IssuedCertificate, WebhookServer, WebhookServerOptions } from '../src/webhook/index.ts';
import { VirtualClock } from './virtual-clock.ts';

const day = 86_400_000;
const host = '127.0.0.1';

/** A listener with a certificate of its own, and raw connections to it. */
export class Listener {
  readonly server: WebhookServer;
  readonly issued: IssuedCertificate;
  readonly #sockets: TLSSocket[] = [];
  readonly #clock: VirtualClock;

  constructor(server: WebhookServer, issued: IssuedCertificate, clock: VirtualClock) {
    this.server = server;
    this.issued = issued;
    this.#clock = clock;
  }

  /** A connection that is open. `localAddress` makes it come from another address of the loopback network. */
  async connect(options: ConnectionOptions & { readonly localAddress?: string } = {}): Promise<TLSSocket> {
    const socket = connect({ host, port: this.server.port, rejectUnauthorized: false, ...options });
    this.#sockets.push(socket.on('error', () => undefined));
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()));
    return socket;
  }

  /** What comes back for bytes on a connection of their own, until it is closed or whole. */
  async exchange(
    bytes: string | Buffer,
    options: ConnectionOptions & { readonly localAddress?: string } = {},
  ): Promise<string> {
    const socket = await this.connect(options);
    socket.write(bytes);
    return await readReply(socket);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = this.server.close();
    // Reviews that never end are given up.
    await this.#clock.advance(60_000);
    await closed;
  }
}

/** Serves webhooks on the loopback network. */
export async function listen({
  clock = new VirtualClock(),
  ...options
}: Partial<WebhookServerOptions> & { readonly clock?: VirtualClock }): Promise<Listener> {
  const issued = await issueCertificate({ dnsNames: ['hooks.system.svc'], now: Date.now(), validMs: day });
  const server = await serveWebhooks({
    port: 0,
    host: '127.0.0.1',
    webhooks: [],
    certificate: issued,
    clock,
    ...options,
  });
  return new Listener(server, issued, clock);
}

/** One reply of a connection, or what came of it until the connection was closed. */
export async function readReply(socket: TLSSocket): Promise<string> {
  let text = '';
  return await new Promise((resolve) => {
    const end = (): void => resolve(text);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n', 2);
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      const isWhole = length === undefined ? text.endsWith('\r\n0\r\n\r\n') : body?.length === Number(length);
      if (isWhole) end();
    });
    socket.on('close', end).on('end', end);
    if (socket.closed) end();
  });
}

/** A review that the API server could send, about a pod by default, as the bytes of a request. */
export function reviewRequest(path: string, change: object = {}, headers = ''): string {
  const body = JSON.stringify(reviewOf(change));
  return `POST ${path}?timeout=5s HTTP/1.1\r\nhost: a\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** An AdmissionReview whose request has the given fields. */
export function reviewOf(change: object = {}): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
      operation: 'CREATE',
      userInfo: { username: 'alice', groups: ['a'] },
      object: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 } },
      oldObject: null,
      ...change,
    },
  };
}

/** The status of a reply, and the verdict in it. */
export function answerIn(reply: string): {
  readonly status: number;
  readonly allowed?: boolean;
  readonly code?: number;
  readonly message?: string;
} {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(reply)?.[1] ?? 0);
  const body = /\{.*\}/s.exec(reply)?.[0];
  if (status !== 200 || body === undefined) return { status };
  const { response } = JSON.parse(body) as {
    response: { allowed: boolean; status?: { code: number; message: string } };
  };
  expect(response).toMatchObject({ uid: 'u1' });
  return { status, allowed: response.allowed, ...response.status };
}
