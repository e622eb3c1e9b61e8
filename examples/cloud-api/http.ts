import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request with its body read. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** Serves a function of requests on 127.0.0.1; port 0 takes any. */
export async function serve(answer: (exchange: Exchange) => Answer, port = 0): Promise<Listening> {
  const server = createServer((request, response) => {
    void (async () => {
      let reply: Answer;
      try {
        const url = new URL(request.url ?? '/', 'http://localhost');
        const body = await read(request);
        reply = answer({
          method: request.method ?? 'GET',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body,
        });
      } catch (error) {
        const isSyntax = error instanceof SyntaxError;
        reply = {
          status: isSyntax ? 400 : 500,
          body: { code: isSyntax ? 'InvalidArgument' : 'Unavailable', message: String(error) },
        };
      }
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: listening } = server.address() as AddressInfo; // A TCP server's address.
  return {
    url: `http://127.0.0.1:${listening}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
