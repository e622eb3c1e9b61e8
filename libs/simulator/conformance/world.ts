import { request as httpsRequest } from 'node:https';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Transport } from '@ordinal/client';

/** A reply as it is compared: its status and its body as JSON. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
  /** The server's clock when it replied, in milliseconds, where it gives it. */
  readonly date?: number;
}

/** A request to either world. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly userAgent?: string;
  readonly accept?: string;
  /** Who asks, instead of the administrator. */
  readonly user?: string;
  /** The groups and the UID of whom the administrator acts as. */
  readonly groups?: readonly string[];
  readonly uid?: string;
}

/** One of the two worlds that a case runs in. */
export interface World {
  readonly name: 'simulated' | 'real';
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

const headersOf = ({ contentType, body, userAgent, accept, user, uid }: Request): Record<string, string> => ({
  accept: accept ?? 'application/json',
  'user-agent': userAgent ?? 'conformance/1',
  ...(user !== undefined && { 'impersonate-user': user }),
  ...(uid !== undefined && { 'impersonate-uid': uid }),
  ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
});

const bytesOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

const warningsOf = (header: string | undefined): readonly string[] =>
  [...(header ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => (text ?? '').replaceAll('\\"', '"'));

/** A watch's lines, each an event. */
function eventsOf(text: string): readonly unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0 || !lines.every((line) => line.startsWith('{'))) return undefined;
  return lines.map((line) => JSON.parse(line) as unknown);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return eventsOf(text) ?? text;
  }
}

/** The simulated API server, over its own transport. */
export function simulatedWorld(transport: Transport): World {
  return {
    name: 'simulated',
    async send(request) {
      const reply = await transport.send({
        method: request.method,
        path: request.path,
        headers: headersOf(request),
        ...(request.groups !== undefined && { repeatedHeaders: { 'impersonate-group': request.groups } }),
        ...(request.body !== undefined && { body: Buffer.from(bytesOf(request.body)) }),
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body) chunks.push(chunk);
      return {
        status: reply.status,
        body: parsed(Buffer.concat(chunks).toString('utf8')),
        warnings: warningsOf(reply.headers['warning']),
      };
    },
    close: () => transport.close(),
  };
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** A real API server, by the kubeconfig that `tools/cluster` writes (a token, and a CA in a file). */
export function realWorld(kubeconfig: string): World {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const [entry] = clusters;
  const [user] = users;
  if (entry === undefined || user === undefined) throw new TypeError(`${kubeconfig} names no cluster or no user`);
  const ca = readFileSync(entry.cluster['certificate-authority']);
  const send = (request: Request): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        new URL(request.path, entry.cluster.server),
        {
          method: request.method,
          ca,
          headers: {
            ...headersOf(request),
            ...(request.groups !== undefined && { 'impersonate-group': [...request.groups] }),
            authorization: `Bearer ${user.user.token}`,
            ...(request.body !== undefined && { 'content-length': Buffer.byteLength(bytesOf(request.body)) }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              body: parsed(Buffer.concat(chunks).toString('utf8')),
              warnings: warningsOf([incoming.headers['warning']].flat().join(', ')),
              ...(incoming.headers.date !== undefined && { date: Date.parse(incoming.headers.date) }),
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(request.body === undefined ? undefined : bytesOf(request.body));
    });
  return { name: 'real', send, close: () => Promise.resolve() };
}
