import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@ordinal/client';
import { messageOf } from '../cache/trouble.ts';
import { Deadline } from '../controller/deadline.ts';
import { silentLogger } from '../log/silent.ts';
import type { Logger } from '../reconciler.ts';
import type { WebhookMetrics } from './metrics.ts';
import { allow, deny, readReview, reviewReply } from './review.ts';
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
  readonly webhooks: readonly Webhook[];
  readonly certificate: ServingCertificate;
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly metrics?: WebhookMetrics;
  /** More requests than this at a time for one webhook are answered at once by its failure policy. 64 unless told. */
  readonly maxInFlight?: number;
}

/** A server that listens. */
export interface WebhookServer {
  readonly port: number;
  /** Serves new connections with another certificate from now on. */
  useCertificate(certificate: ServingCertificate): void;
  close(): Promise<void>;
}

/** Longer than the API server keeps a connection that it does not use (90 s): the one of the two that ends it first should be the one that asks. */
const keepAliveMs = 120_000;
/** How long the last answers may take to get there. */
const lastAnswersMs = 1000;
/** The API server waits for 10 s unless its configuration says otherwise, and says how long in the query. */
const usualTimeoutMs = 10_000;
/** An answer needs so long to be back in time. */
const marginMs = 500;
/** The API server refuses larger objects itself. Two of them, and what is around them. */
const bodyLimitBytes = 8 * 1024 * 1024;

/**
 * Serves webhooks over TLS. Every request is answered before the API server stops waiting: one that takes too long, that comes on top of too many
 * others, or whose webhook throws is decided by the webhook's failure policy, and the answer says which of these it was.
 */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const service = new WebhookService(options);
  const server = createServer(
    secureContext(options.certificate),
    (request, response) => void service.answer(request, response),
  );
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  // An address of a TCP server that listens is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    useCertificate: (certificate) => server.setSecureContext(secureContext(certificate)),
    close: async () => {
      service.isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await service.idle();
      // What was answered last is still on its way: a connection ends with its answer, and only one that does not is broken.
      const timer = options.clock.after(lastAnswersMs, () => server.closeAllConnections());
      await closed;
      timer.cancel();
    },
  };
}

function secureContext({ certificate, key }: ServingCertificate): {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: 'TLSv1.2';
} {
  return { cert: certificate, key, minVersion: 'TLSv1.2' };
}

class WebhookService {
  readonly #webhooks: ReadonlyMap<string, Webhook>;
  readonly #options: WebhookServerOptions;
  readonly #log: Logger;
  #inFlight = 0;
  /** Each connection ends with its next answer. */
  isClosing = false;
  readonly #byPath = new Map<string, number>();
  readonly #idle: (() => void)[] = [];

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#log = options.logger ?? silentLogger;
    this.#webhooks = new Map(options.webhooks.map((webhook) => [webhook.path, webhook]));
    if (this.#webhooks.size !== options.webhooks.length)
      throw new TypeError('two webhooks have the same path: give one of them another');
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://webhook');
    const webhook = this.#webhooks.get(url.pathname);
    if (webhook === undefined || request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const { clock, metrics } = this.#options;
    const startedAt = clock.now();
    this.#inFlight += 1;
    this.#count(webhook.path, 1);
    const { code, body } = await this.#judge(webhook, request, timeoutOf(url));
    this.#inFlight -= 1;
    this.#count(webhook.path, -1);
    metrics?.answered(webhook.path, code, (clock.now() - startedAt) / 1000);
    const ending = this.isClosing ? { connection: 'close' } : {};
    response.writeHead(code, { 'content-type': 'application/json', ...ending }).end(JSON.stringify(body));
    if (this.#inFlight === 0) for (const idle of this.#idle.splice(0)) idle();
  }

  #count(path: string, change: 1 | -1): void {
    const requests = (this.#byPath.get(path) ?? 0) + change;
    this.#byPath.set(path, requests);
    this.#options.metrics?.inFlight(path, requests);
  }

  async #judge(
    webhook: Webhook,
    request: IncomingMessage,
    timeoutMs: number,
  ): Promise<{ readonly code: number; readonly body: unknown }> {
    const deadline = new Deadline(this.#options.clock, Math.max(0, timeoutMs - marginMs), new AbortController().signal);
    let uid = '';
    try {
      const review = readReview(await bodyOf(request));
      uid = review.uid;
      const most = webhook.maxInFlight ?? this.#options.maxInFlight ?? 64;
      if ((this.#byPath.get(webhook.path) ?? 0) > most) throw new Error('too many requests at a time');
      // The request itself may have come too slowly.
      if (deadline.signal.aborted) throw new Error('it took too long');
      return { code: 200, body: await before(deadline.signal, webhook.review(review, deadline.signal)) };
    } catch (error) {
      const message = messageOf(error);
      this.#log.error({ webhook: webhook.path, error: message }, 'a request could not be judged');
      if (uid === '') return { code: 400, body: { message } };
      const why = `webhook ${webhook.path} could not judge this: ${message}`;
      const verdict =
        webhook.failurePolicy === 'Ignore' ? allow(why) : deny(why, { code: 503, reason: 'ServiceUnavailable' });
      return { code: 200, body: reviewReply(uid, verdict) };
    } finally {
      deadline.clear();
    }
  }
}

function timeoutOf(url: URL): number {
  const seconds = /^([0-9.]+)s$/.exec(url.searchParams.get('timeout') ?? '')?.[1];
  return seconds === undefined ? usualTimeoutMs : Number(seconds) * 1000;
}

async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    work.then(resolve, reject);
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimitBytes) throw new RangeError(`the body is larger than ${bodyLimitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
