import type { EndpointPolicy, ExternalErrorCode } from '@ordinal/lifecycle';
import { checkEndpoint, ExternalError } from '@ordinal/lifecycle';
import { Agent, request } from 'undici';
import { checkedLookup } from '../network/checked-lookup.ts';

/** A request of a service outside. */
export interface OutsideRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Its answer. */
export interface OutsideReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON; undefined where there is no body. */
  readonly body: unknown;
}

/** One HTTP exchange with a service outside. Throws an `ExternalError` for everything below HTTP; answers of any status are answers. */
export type Exchange = (request: OutsideRequest, signal: AbortSignal) => Promise<OutsideReply>;

/** How exchanges are bounded. */
export interface ExchangeOptions {
  readonly policy: EndpointPolicy;
  /** Connection, request and reply together, in milliseconds. 5 s by default. */
  readonly timeoutMs?: number;
  /** Longer replies are refused, in bytes. 1 MiB by default. */
  readonly maxReplyBytes?: number;
}

/**
 * Makes the exchange. A host is resolved once for each connection, every address it has is checked against the policy, and the connection goes to what was
 * checked, so that a name which changes in between leads nowhere else. Redirects are not followed: they are answers like others.
 */
export function createExchange({
  policy,
  timeoutMs = 5_000,
  maxReplyBytes = 1_048_576,
}: ExchangeOptions): Exchange & { close(): Promise<void> } {
  const agent = new Agent({ connect: { lookup: checkedLookup(policy), timeout: timeoutMs }, connections: 32 });
  const exchange: Exchange = async ({ method, url, headers, body }, signal) => {
    checkEndpoint(url.href, policy);
    const limit = AbortSignal.timeout(timeoutMs);
    const what = `${method} ${url.origin}${url.pathname}`;
    try {
      const reply = await request(url, {
        method,
        dispatcher: agent,
        signal: AbortSignal.any([signal, limit]),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: reply.statusCode,
        headers: reply.headers,
        body: await readJson(reply.body, { what, maxReplyBytes }),
      };
    } catch (cause) {
      throw outsideError(cause, { what, isTimeout: limit.aborted });
    }
  };
  return Object.assign(exchange, { close: () => agent.close() });
}

async function readJson(
  body: AsyncIterable<Buffer>,
  { what, maxReplyBytes }: { readonly what: string; readonly maxReplyBytes: number },
): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (length > maxReplyBytes)
      throw new ExternalError('ReplyTooLarge', `${what}: the reply is longer than ${maxReplyBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.slice(0, 200);
  }
}

/** Failures in which nothing can have reached the other side. */
const unsent: Readonly<Record<string, ExternalErrorCode>> = {
  ECONNREFUSED: 'Unreachable',
  ENOTFOUND: 'Unreachable',
  EAI_AGAIN: 'Unreachable',
  EHOSTUNREACH: 'Unreachable',
  ENETUNREACH: 'Unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'TimedOut',
};

function outsideError(
  cause: unknown,
  { what, isTimeout }: { readonly what: string; readonly isTimeout: boolean },
): ExternalError {
  const found = [cause, cause instanceof Error ? cause.cause : undefined].find(
    (error) => error instanceof ExternalError,
  );
  if (found) return found;
  if (isTimeout) return new ExternalError('TimedOut', `${what}: no answer in time`, { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known = unsent[code];
  const message = `${what}: ${cause instanceof Error ? cause.message : String(cause)}`;
  return known
    ? new ExternalError(known, message, { applied: 'no', cause })
    : new ExternalError('Unreachable', message, { cause });
}
