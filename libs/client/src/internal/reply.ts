import { Beginning, readBody } from '../body-reader.ts';
import type { Status } from '../error.ts';
import { ApiError, TransportError } from '../error.ts';
import { parseJson } from '../json.ts';
import type { TransportReply } from '../transport.ts';

/** A refusal, with whether the server, and not a webhook or a budget, was the one that had too much to do. */
export interface Refusal {
  readonly error: ApiError;
  readonly overloaded: boolean;
}

/** Reads a body to its end as text, or to its limit. */
export function readText(reply: TransportReply, limitBytes = Number.POSITIVE_INFINITY): Promise<string> {
  return readBody(reply.body, new Beginning(limitBytes));
}

/** Reads a body to its end as JSON. Throws a `TransportError` (`MalformedReply`) where it is none. */
export async function readJson(reply: TransportReply): Promise<unknown> {
  return parseReply(await readText(reply));
}

/** Parses what a server said. Throws a `TransportError` (`MalformedReply`) where it is not JSON. */
export function parseReply(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new TransportError('MalformedReply', `the reply is not JSON: ${JSON.stringify(text.slice(0, 80))}`, {
      cause,
    });
  }
}

/** What a reply of a status other than 2xx says. */
export async function readRefusal(reply: TransportReply, context: string): Promise<Refusal> {
  const text = await readText(reply, refusalLimitBytes);
  const seconds = retryAfterSeconds(reply);
  const fromServer = statusIn(text);
  const status: Status = fromServer ?? {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: reply.status,
    message: `HTTP ${reply.status}${text === '' ? '' : `: ${text.trim().slice(0, 500)}`}`,
  };
  // The server's own refusals under load are plain text with Retry-After; those of budgets and webhooks are Status objects.
  const overloaded =
    seconds !== undefined && fromServer === undefined && (reply.status === 429 || reply.status === 503);
  const complete =
    seconds === undefined || status.details?.retryAfterSeconds !== undefined
      ? status
      : { ...status, details: { ...status.details, retryAfterSeconds: seconds } };
  return { error: new ApiError(complete, context), overloaded };
}

const refusalLimitBytes = 1 << 20;

/** The value, where it is a `Status`. */
export function asStatus(value: unknown): Status | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, apiVersion } = value as Readonly<Record<string, unknown>>; // JSON: an object has fields of any kind.
  return kind === 'Status' && apiVersion === 'v1' ? normalized(value as Partial<Status>) : undefined;
}

function normalized(status: Partial<Status>): Status {
  return {
    ...status,
    kind: 'Status',
    apiVersion: 'v1',
    status: status.status ?? 'Failure',
    code: typeof status.code === 'number' ? status.code : 0,
  };
}

function statusIn(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return asStatus(parseJson(text));
  } catch {
    return undefined; // A refusal in another form is reported as text.
  }
}

function retryAfterSeconds(reply: TransportReply): number | undefined {
  const value = reply.headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
