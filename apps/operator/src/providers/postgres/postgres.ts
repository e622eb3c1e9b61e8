import type { LookupFunction } from 'node:net';
import { ExternalError } from '@ordinal/reconcilers';
import type { DatabaseRequest, DatabaseSystem, DatabaseView, ExternalErrorCode } from '@ordinal/reconcilers';
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import type { ClientConfig } from 'pg';
import { CheckedSocket } from '../network/checked-socket.ts';
import { postgresTraits } from '../on-demand.ts';

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
  readonly callTimeoutMs: number;
}

/** What a size means here: how many connections a database may have. */
const connectionLimits = { small: 20, medium: 100, large: 500 } as const;

const sizeOf = (limit: number): string =>
  Object.entries(connectionLimits).find(([, value]) => value === limit)?.[0] ?? `${limit} connections`;

/** A database's name follows from the token, so that a repeated creation can only meet the first one's result. */
const nameOf = (token: string): string => `o_${token.replaceAll(/[^a-zA-Z0-9]/g, '_')}`.slice(0, 63);

/** All of an owner's names begin so: the token is the owner and a number. */
const prefixOf = (owner: string): string => `${nameOf(owner)}_`;

/**
 * The provider that makes logical databases in a PostgreSQL server: a database, a role of the same name that owns it, and nothing for anybody else. Names
 * follow from tokens, so PostgreSQL itself refuses a second one.
 */
export function postgresServer(
  options: PostgresServerOptions,
): DatabaseSystem & Required<Pick<DatabaseSystem, 'findByName'>> {
  const run = <T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> =>
    withClient(options, signal, work);
  const view = (row: {
    readonly datname: string;
    readonly datconnlimit: number;
    readonly comment: string | null;
  }): DatabaseView => {
    const mark = markOf(row.comment);
    return {
      id: row.datname,
      owner: mark?.owner,
      token: mark?.token,
      state: 'ready',
      engine: 'postgres',
      size: sizeOf(row.datconnlimit),
      host: options.host,
      port: options.port,
      database: row.datname,
      username: mark === undefined ? undefined : row.datname,
    };
  };
  const find = (where: string, value: string, signal: AbortSignal): Promise<DatabaseView[]> =>
    run(signal, async (client) => {
      const columns = `datname, datconnlimit, shobj_description(oid, 'pg_database') AS comment`;
      const { rows } = await client.query(
        `SELECT ${columns} FROM pg_database WHERE NOT datistemplate AND ${where} ORDER BY 1`,
        [value],
      );
      return (rows as Parameters<typeof view>[0][]).map(view); // The columns of this very query.
    });
  const get = async (id: string, signal: AbortSignal): Promise<DatabaseView | undefined> =>
    (await find('datname = $1', id, signal))[0];
  return {
    traits: postgresTraits(options.callTimeoutMs),
    get,
    findByName: get,
    // A database without its mark is one whose creation broke off: its name still says whose it is.
    findByOwner: async (owner, signal) =>
      (await find(`starts_with(datname, $1)`, prefixOf(owner), signal)).map((found) => ({ ...found, owner })),
    create: async ({ token, owner, desired }, signal) => {
      if (desired.engine !== 'postgres') {
        throw new ExternalError('Refused', `a PostgreSQL server makes no ${desired.engine} databases`, {
          applied: 'no',
        });
      }
      const name = nameOf(token);
      return run(signal, async (client) => {
        await createRole(client, name, desired.password);
        await createDatabase(client, name, desired.size);
        const mark = escapeLiteral(JSON.stringify({ owner, token }));
        await client.query(`COMMENT ON DATABASE ${escapeIdentifier(name)} IS ${mark}`);
        return view({
          datname: name,
          datconnlimit: connectionLimits[desired.size],
          comment: JSON.stringify({ owner, token }),
        });
      });
    },
    update: (id, change, signal) => run(signal, (client) => alter(client, id, change)),
    delete: async ({ id, finalSnapshot }, signal) => {
      if (finalSnapshot !== undefined) {
        throw new ExternalError(
          'Unsupported',
          'a PostgreSQL server takes no snapshots: choose deletionPolicy Delete or Retain',
          { applied: 'no' },
        );
      }
      return run(signal, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(id)} WITH (FORCE)`);
        await client.query(`DROP ROLE IF EXISTS ${escapeIdentifier(id)}`);
      });
    },
  };
}

async function createRole(client: Client, name: string, password: string): Promise<void> {
  const [role, secret] = [escapeIdentifier(name), escapeLiteral(password)];
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  if (rowCount === 0) await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${secret}`).catch(ignore('42710'));
  // To give a database to a role, PostgreSQL 15 and older ask to be a member of it.
  await client.query(`GRANT ${role} TO CURRENT_USER`).catch(ignore('0LP01'));
}

async function createDatabase(client: Client, name: string, size: DatabaseRequest['size']): Promise<void> {
  const database = escapeIdentifier(name);
  const limit = connectionLimits[size];
  await client.query(`CREATE DATABASE ${database} OWNER ${database} CONNECTION LIMIT ${limit}`).catch(ignore('42P04'));
  await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
}

async function alter(client: Client, id: string, { size, password }: Partial<DatabaseRequest>): Promise<void> {
  const name = escapeIdentifier(id);
  if (size !== undefined) await client.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${connectionLimits[size]}`);
  if (password !== undefined) await client.query(`ALTER ROLE ${name} PASSWORD ${escapeLiteral(password)}`);
}

const ignore =
  (code: string) =>
  (error: unknown): void => {
    if (!(error instanceof DatabaseError) || error.code !== code) throw error;
  };

function markOf(comment: string | null): { readonly owner: string; readonly token: string } | undefined {
  if (comment === null) return undefined;
  try {
    const mark: unknown = JSON.parse(comment);
    if (typeof mark !== 'object' || mark === null || !('owner' in mark) || !('token' in mark)) return undefined;
    const { owner, token } = mark;
    return typeof owner === 'string' && typeof token === 'string' ? { owner, token } : undefined;
  } catch {
    return undefined;
  }
}

async function withClient<T>(
  options: PostgresServerOptions,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new ExternalError('TimedOut', 'aborted before it was sent', { applied: 'no' });
  const { host, port, username: user, password, database, sslMode, lookup, callTimeoutMs } = options;
  const ssl: ClientConfig['ssl'] = sslMode === 'disable' ? false : { rejectUnauthorized: true };
  const client = new Client({
    host,
    port,
    user,
    password,
    database,
    ssl,
    // TLS is spoken over this socket, and the certificate is still checked against the host's name.
    stream: () => new CheckedSocket({ host, port, lookup }),
    connectionTimeoutMillis: callTimeoutMs,
    query_timeout: callTimeoutMs,
  });
  const abort = (): void => void client.end();
  // A connection that breaks between two queries says so here; the query that comes next fails, and that is what is reported.
  client.on('error', () => undefined);
  signal.addEventListener('abort', abort, { once: true });
  let connected = false;
  try {
    await client.connect();
    connected = true;
    return await work(client);
  } catch (cause) {
    throw errorOf(cause, connected);
  } finally {
    signal.removeEventListener('abort', abort);
    await client.end().catch(() => undefined);
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

function errorOf(cause: unknown, connected: boolean): ExternalError {
  if (cause instanceof ExternalError) return cause;
  const message = `PostgreSQL: ${cause instanceof Error ? cause.message : String(cause)}`;
  const applied = connected ? 'unknown' : 'no';
  if (!(cause instanceof DatabaseError)) return new ExternalError('Unreachable', message, { applied, cause });
  const code = codes.find(([pattern]) => pattern.test(cause.code ?? ''))?.[1] ?? 'Unavailable';
  return new ExternalError(code, message, { applied, cause });
}
