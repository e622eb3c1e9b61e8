import { createServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueCertificate, readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { FetchLike } from '../node/fetch-like.ts';
import type { Activity } from './activity.ts';

/** What stands between a real API server and the webhooks of a world. */
export interface WebhookRelayOptions {
  /** The world's network, as the API server sees it. */
  readonly fetch: FetchLike;
  readonly activity: Activity;
}

/** How an API server reaches a webhook: `clientConfig`, as it is registered. */
export interface ReachableWebhook {
  readonly url: string;
  readonly caBundle: string;
}

/** A server that listens, and how it is reached. */
interface Listening {
  readonly server: Server;
  readonly origin: string;
  readonly caBundle: string;
}

const host = 'localhost';
const certificateMs = 86_400_000;
const registeredPath = '/registered/';
/** The API server leaves out a slash at the end. */
const passedOn = /^\/to\/([\w-]+)(\/.*)?$/;

/**
 * Where a real API server finds the webhooks of a world: on the loopback address of the machine, with TLS. What it is asked it asks in the world's network, where it
 * is answered in the world's time: only while that goes on.
 */
export class WebhookRelay {
  private readonly options: WebhookRelayOptions;
  private readonly registered = new Set<string>();
  private origin: string | undefined;
  private started: Promise<Listening> | undefined;

  constructor(options: WebhookRelayOptions) {
    this.options = options;
  }

  /** How the API server reaches who answers at a URL of the world. The relay listens from the first such question on. */
  async wayTo(url: URL): Promise<ReachableWebhook> {
    const { origin, caBundle } = await this.start();
    return { url: `${origin}/to/${Buffer.from(url.origin).toString('base64url')}${url.pathname}`, caBundle };
  }

  /** Whether it is the relay itself that answers at a URL. */
  isItsOwn(url: URL): boolean {
    return url.origin === this.origin;
  }

  /** How the API server reaches what notes that it has asked: a registration that it asks about is in effect. */
  async wayToNote(registration: string): Promise<ReachableWebhook> {
    const { origin, caBundle } = await this.start();
    return { url: `${origin}${registeredPath}${registration}`, caBundle };
  }

  /** Whether the API server has asked about a registration. */
  isInEffect(registration: string): boolean {
    return this.registered.has(registration);
  }

  /** Listens no more. */
  stop(): void {
    this.started?.then(
      ({ server }) => {
        server.close();
        server.closeAllConnections();
      },
      // The caller has got an answer.
      () => undefined,
    );
  }

  private start(): Promise<Listening> {
    this.started ??= this.listen();
    return this.started;
  }

  private async listen(): Promise<Listening> {
    // The API server goes by the machine's clock.
    const issued = await issueCertificate({ dnsNames: [host], now: Date.now(), validMs: certificateMs });
    const server = createServer({ cert: issued.certificate, key: issued.key }, (request, response) => {
      void this.answer(request, response);
    });
    // A connection that ends while the API server sends a question on it is a webhook that has failed.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    // An address of a TCP server that listens is never a string.
    const { port } = server.address() as AddressInfo;
    server.unref();
    this.origin = `https://${host}:${port}`;
    return {
      ...{ server, origin: this.origin },
      caBundle: Buffer.from(issued.authority).toString('base64'),
    };
  }

  private async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const ended = this.options.activity.begin();
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
      const reply = await this.replyTo(incoming, Buffer.concat(chunks).toString('utf8'), outgoing);
      outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
    } catch {
      // To the API server, as without an answer: the connection breaks.
      outgoing.destroy();
    } finally {
      ended();
    }
  }

  private async replyTo(
    { method = 'POST', url = '/' }: IncomingMessage,
    body: string,
    outgoing: ServerResponse,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { pathname, search } = new URL(url, `https://${host}`);
    if (pathname.startsWith(registeredPath)) {
      this.registered.add(pathname.slice(registeredPath.length));
      return { status: 200, text: JSON.stringify(reviewReply(readReview(body).uid, { allowed: true })) };
    }
    const [, place, path = '/'] = passedOn.exec(pathname) ?? [];
    if (place === undefined) return { status: 404, text: '' };
    const given = new AbortController();
    outgoing.once('close', () => given.abort(new Error('the API server asks no longer')));
    const target = `${Buffer.from(place, 'base64url').toString('utf8')}${path}${search}`;
    const headers = { 'content-type': 'application/json' };
    const reply = await this.options.fetch(target, { method, headers, body, signal: given.signal });
    return { status: reply.status, text: await reply.text() };
  }
}
