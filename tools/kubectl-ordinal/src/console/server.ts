import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError, exitCodes, sayingOf } from '../failure.ts';
import { headersOfAll, pagePaths, refusalOf } from './guard.ts';
import type { PageFiles } from './page.ts';

/** A question of the page that was let in. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The JSON that came with it; undefined where there was none. */
  readonly body: unknown;
  /** Aborted when the page has gone. */
  readonly signal: AbortSignal;
}

/** An answer: JSON, or lines of a stream of server-sent events. */
export type Answer = { readonly status: number; readonly json: unknown } | { readonly stream: AsyncIterable<string> };

/** What a console's server is made with. */
export interface ServerOptions {
  /** 0: one that is free. */
  readonly port: number;
  readonly token: string;
  readonly page: PageFiles;
  /** Answers what the page asks. What it throws is said to the page. */
  readonly answer: (question: Question) => Promise<Answer>;
}

/** A server that listens. */
export interface Listening {
  /** With the token: all that a browser needs. */
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** The longest question, in bytes: a manifest is no longer. */
const longestBody = 1_000_000;

class TooLong extends Error {
  override readonly name = 'TooLong';
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) throw new TooLong(`a question has at most ${longestBody} bytes`);
    chunks.push(chunk);
  }
  return length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...headersOfAll, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

async function stream(response: ServerResponse, lines: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  response.writeHead(200, { ...headersOfAll, 'content-type': 'text/event-stream; charset=utf-8' });
  for await (const text of lines) {
    if (signal.aborted) break;
    // A page that does not read is waited for: what it missed is in the next look.
    if (!response.write(text)) await drained(response, signal);
  }
  response.end();
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const statusOf = (error: unknown): number => {
  if (error instanceof TooLong) return 413;
  if (error instanceof SyntaxError) return 400;
  return error instanceof CommandError && error.exitCode === exitCodes.usage ? 422 : 502;
};

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions & { readonly port: number },
): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://console');
  const { method = '' } = request;
  const refusal = refusalOf({ method, path, headers: request.headers }, options);
  if (refusal) return json(response, refusal.status, { error: refusal.error });
  const file = pagePaths.includes(path) ? options.page[path] : undefined;
  if (file) {
    response.writeHead(200, { ...headersOfAll, 'content-type': file.type });
    response.end(file.text);
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const body = await bodyOf(request);
    const answer = await options.answer({ method, path, query, body, signal: gone.signal });
    if ('stream' in answer) await stream(response, answer.stream, gone.signal);
    else json(response, answer.status, answer.json);
  } catch (error) {
    if (!response.headersSent) json(response, statusOf(error), { error: sayingOf(error).message });
    else response.destroy();
  }
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new CommandError(`can't listen on port ${port}: ${cause.message}; give another --port`, undefined, { cause }),
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)); // A server that listens at a port has such an address.
  });
}

/** Listens on the loopback address. Rejects with a `CommandError` where the port is taken. */
export async function serveConsole(options: ServerOptions): Promise<Listening> {
  let port = options.port;
  const server = createServer((request, response) => {
    respond(request, response, { ...options, port }).catch(() => response.destroy());
  });
  port = await listening(server, options.port);
  return {
    ...{ port, url: `http://127.0.0.1:${port}/#token=${options.token}` },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
