import type { LookupFunction } from 'node:net';
import type { ExternalErrorCode } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import { Client, DatabaseError } from 'pg';
import { PostgresSocket } from './socket.ts';

/** A PostgreSQL server that databases are made in. */
export interface PostgresServerOptions {
  readonly host: string;
  readonly port: number;
  /** A role that may create roles and databases. */
  readonly username: string;
  readonly password: string;
  /** The database to connect to for administration. */
  readonly database: string;
  /** Certificates are checked unless this is `disable`. */
  readonly sslMode: 'verify-full' | 'disable';
  /** Resolves the host, and checks what it resolves to, each time that it is connected to. */
  readonly lookup: LookupFunction;
  /** For the connection and all that is asked over it, in milliseconds. */
  readonly callTimeoutMs: number;
  /** How much the server may send over one connection, in bytes. 1 MiB by default. */
  readonly maxReplyBytes?: number;
}

/**
 * Connects, does the work, and disconnects: in time, or with `TimedOut`.
 *
 * @throws ExternalError whatever goes wrong; with `applied: 'no'` where the server was not reached.
 */
export async function withClient<T>(
  options: PostgresServerOptions,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new ExternalError('TimedOut', 'aborted before it was sent', { applied: 'no' });
  const { host, port, username: user, password, database, sslMode, lookup, callTimeoutMs } = options;
  const socket = new PostgresSocket({ host, port, sslMode, lookup, maxReplyBytes: options.maxReplyBytes ?? 1_048_576 });
  const client = new Client({
    host,
    port,
    user,
    password,
    database,
    // TLS is spoken by the socket, which checks the certificate against the host's name.
    ssl: false,
    stream: () => socket,
  });
  let connected = false;
  const applied = (): 'no' | 'unknown' => (connected ? 'unknown' : 'no');
  const limit = AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
  const giveUp = (): void =>
    void socket.destroy(new ExternalError('TimedOut', 'PostgreSQL: no answer in time', { applied: applied() }));
  // A connection that breaks between two queries says so here; the query that comes next fails, and that is what is reported.
  client.on('error', () => undefined);
  limit.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    connected = true;
    return await work(client);
  } catch (cause) {
    throw errorOf(cause, applied());
  } finally {
    // A server that does not answer is not waited for beyond the limit, which closes the connection.
    await client.end().catch(() => undefined);
    limit.removeEventListener('abort', giveUp);
    socket.destroy();
  }
}

const codes: readonly (readonly [RegExp, ExternalErrorCode])[] = [
  [/^28/, 'Unauthorized'],
  [/^42501$/, 'Forbidden'],
  [/^53/, 'QuotaExceeded'],
  [/^55006$/, 'Busy'],
  [/^57P/, 'Unavailable'],
  [/^(22|42)/, 'Refused'],
];

function errorOf(cause: unknown, applied: 'no' | 'unknown'): ExternalError {
  if (cause instanceof ExternalError) return cause;
  const message = `PostgreSQL: ${cause instanceof Error ? cause.message : String(cause)}`;
  if (!(cause instanceof DatabaseError)) return new ExternalError('Unreachable', message, { applied, cause });
  const code = codes.find(([pattern]) => pattern.test(cause.code ?? ''))?.[1] ?? 'Unavailable';
  return new ExternalError(code, message, { applied, cause });
}
