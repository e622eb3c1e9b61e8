import { constants } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import type { Clock } from '@ordinal/client';
import { silentLogger } from '../log/silent.ts';
import type { Logger } from '../reconciler.ts';
import { mayAsk } from './client-certificate.ts';
import type { ClientCertificates } from './client-certificate.ts';
import { Connections } from './connections.ts';
import { usualLimits } from './limits.ts';
import type { ListenerLimits } from './limits.ts';
import type { WebhookMetrics } from './metrics.ts';
import { WebhookService } from './service.ts';
import type { ConversionWebhook } from './conversion.ts';
import type { Webhook } from './webhook.ts';

/** A certificate and its key, in PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What is served and how much of it at a time. */
export interface WebhookServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  readonly webhooks: readonly (Webhook | ConversionWebhook)[];
  readonly certificate: ServingCertificate;
  /** Who may ask. By default everyone who reaches the port: an API server presents a certificate only where it is configured to. */
  readonly clients?: ClientCertificates;
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly metrics?: WebhookMetrics;
  /** So many requests of one address are judged at a time for one webhook, and twice as many of all; what comes on top is `undecided` at once. 64 by default. */
  readonly maxInFlight?: number;
  /** Bounds on what callers take, where they are not the usual ones. */
  readonly limits?: Partial<ListenerLimits>;
}

/** A server that listens. */
export interface WebhookServer {
  readonly port: number;
  /** Serves new connections with another certificate from now on. */
  useCertificate(certificate: ServingCertificate): void;
  /** Ends each connection with its next answer from now on, and serves new ones as before: who asks again does so on a connection that a Service can lead elsewhere. */
  endConnections(): void;
  /** Stops listening. Resolves when what is being answered has its answer. */
  close(): Promise<void>;
}

/** How long the last answers may take to get there. */
const lastAnswersMs = 1000;

/**
 * Serves webhooks over TLS. Every request is answered before the API server stops waiting: one that takes too long, that comes on top of too many others, or whose
 * webhook throws is answered as the webhook has it for what is undecided.
 *
 * **Guarantees.** No request ends the process, and none takes more than the limits say of connections, of memory and of time. Bodies are bounded before they are read,
 * only whole requests count as being judged, and of what is short the address that holds the most loses first.
 */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const limits = { ...usualLimits, ...options.limits };
  const { clock, metrics, webhooks, clients, maxInFlight = 64, logger: log = silentLogger } = options;
  const service = new WebhookService({ webhooks, clock, log, metrics, maxInFlight, limits });
  const { idleMs: keepAliveTimeout, headTimeoutMs: headersTimeout, bodyTimeoutMs } = limits;
  const server = createServer({
    ...secureContext(options.certificate, clients),
    ...(clients && { requestCert: true, rejectUnauthorized: true }),
    handshakeTimeout: headersTimeout,
    headersTimeout,
    requestTimeout: headersTimeout + bodyTimeoutMs,
    keepAliveTimeout,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxRequestsPerSocket = 10_000;
  // A caller that takes no answer is not waited for.
  server.setTimeout(2 * keepAliveTimeout);
  protect(server, service, { ...options, limits });
  await listening(server, options);
  // An address of a TCP server that listens is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    useCertificate: (certificate) => server.setSecureContext(secureContext(certificate, clients)),
    endConnections: () => (service.isClosing = true),
    close: async () => {
      service.isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await service.idle();
      // What was answered last is still on its way: a connection ends with its answer, and only one that does not is broken.
      const timer = clock.after(lastAnswersMs, () => server.closeAllConnections());
      await closed;
      timer.cancel();
    },
  };
}

function secureContext(
  { certificate, key }: ServingCertificate,
  clients: ClientCertificates | undefined,
): Readonly<Record<'cert' | 'key', string>> & { readonly minVersion: 'TLSv1.2'; readonly secureOptions: number } {
  return {
    cert: certificate,
    key,
    ...(clients && { ca: clients.authorities }),
    // API servers speak 1.3, but those that are built to FIPS 140 may speak 1.2 only. There a client could ask for one handshake after the other.
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** Who asks, on which connection, and what is not a request. */
function protect(
  server: Server,
  service: WebhookService,
  { limits, metrics, clients }: WebhookServerOptions & { readonly limits: ListenerLimits },
): void {
  const connections = new Connections(limits.maxConnections, () => metrics?.dropped('too-many'));
  server.on('connection', (socket: Socket) => {
    // A reader of it, if there is one, gets its failure.
    socket.on('error', () => undefined);
    connections.admit(socket);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    if (clients === undefined || mayAsk(socket.getPeerCertificate(), clients)) return;
    metrics?.dropped('client-name');
    socket.destroy();
  });
  server.on('request', (request, response) => {
    const connection = connections.of(request.socket);
    response.on('error', () => undefined);
    // The API server asks on when it has its answer. Anyone who does not wait for it could have any number of requests answered.
    if (connection === undefined || connection.isBusy) {
      metrics?.dropped('pipelined');
      request.socket.destroy();
      return;
    }
    void service.answer(request, response, connection);
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    metrics?.refused(417);
    response.writeHead(417, { connection: 'close', 'content-length': '0' }).end();
  });
  server.on('tlsClientError', () => metrics?.dropped('handshake'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const code = statusOf(error);
    if (socket.writable && error.code !== 'ECONNRESET') {
      metrics?.refused(code);
      socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    }
    // Nothing more of it is read, and it is not waited for.
    socket.destroy();
  });
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

async function listening(server: Server, { port, host }: WebhookServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
