import { ExternalError } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseView, LoginView } from '@ordinal/reconcilers';
import { escapeIdentifier } from 'pg';
import type { Client } from 'pg';
import type { DatabaseCalls } from '../on-demand.ts';
import { withClient } from './session.ts';
import type { PostgresServerOptions } from './session.ts';
import {
  complete,
  connectionLimits,
  dropDatabase,
  endLogin,
  find,
  giveLogin,
  isOwn,
  makeDatabase,
  nameOf,
  prefixOf,
  secondLoginOf,
} from './statements.ts';
import type { Found } from './statements.ts';

export type { PostgresServerOptions } from './session.ts';

const sizeOf = (limit: number): string =>
  Object.entries(connectionLimits).find(([, value]) => value === limit)?.[0] ?? `${limit} connections`;

/**
 * The provider that makes logical databases in a PostgreSQL server: a database, a role of the same name that owns it, and nothing for anyone else. Names
 * follow from tokens, so PostgreSQL itself refuses a second one. Rotations give it a second login. Of databases that were not made here it changes the size only; their roles are their own.
 */
export function postgresServer(options: PostgresServerOptions): DatabaseCalls {
  const run = <T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> =>
    withClient(options, signal, work);
  const view = (found: Found): DatabaseView => ({
    id: found.name,
    owner: found.mark?.owner,
    token: found.mark?.token,
    ...stateOf(found),
    engine: 'postgres',
    size: found.isDatabase ? sizeOf(found.connectionLimit) : undefined,
    host: options.host,
    port: options.port,
    database: found.name,
    username: isOwn(found.name) ? found.name : undefined,
    logins: isOwn(found.name) ? loginsOf(found) : undefined,
  });
  const get = async (id: string, signal: AbortSignal): Promise<DatabaseView | undefined> =>
    (await run(signal, (client) => find(client, 'NAME = $1', id))).map(view)[0];
  return {
    get,
    findByName: async (name, signal) => {
      if (name === options.database) {
        const message = `the database ${name} is the one that the server is administered from`;
        throw new ExternalError('Refused', message, { applied: 'no' });
      }
      return get(name, signal);
    },
    // Without its mark, a database's name still says whose it is.
    findByOwner: async (owner, signal) => {
      const found = await run(signal, (client) => find(client, 'starts_with(NAME, $1)', prefixOf(owner)));
      return found.map((one) => ({ ...view(one), owner }));
    },
    create: async ({ token, owner, desired }, signal) => {
      if (desired.engine !== 'postgres') {
        throw new ExternalError('Refused', `a PostgreSQL server makes no ${desired.engine} databases`, {
          applied: 'no',
        });
      }
      const mark = { owner, token };
      await run(signal, (client) => makeDatabase(client, desired.size, { password: desired.password, mark }));
      const connectionLimit = connectionLimits[desired.size];
      const name = nameOf(token);
      const logins = { [name]: { mayLogIn: true, endsInMs: null } };
      return view({ name, connectionLimit, mark, isDatabase: true, logins });
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
      return run(signal, (client) => dropDatabase(client, id));
    },
  };
}

/** A database of ours without its mark is not complete: an update with a password completes it, and a deletion takes it away. */
function stateOf({ name, mark, isDatabase }: Found): Pick<DatabaseView, 'state' | 'detail'> {
  if (!isDatabase) return { state: 'failed', detail: 'its deletion broke off, and its role is left' };
  if (isOwn(name) && mark === undefined) return { state: 'failed', detail: 'its creation broke off' };
  return { state: 'ready' };
}

/** The role that owns the database, and the second login. */
function loginsOf({ name, logins }: Found): readonly [LoginView, LoginView] {
  const login = (its: string): LoginView => {
    const { mayLogIn, endsInMs } = logins[its] ?? { mayLogIn: false, endsInMs: null };
    if (!mayLogIn || (endsInMs !== null && endsInMs <= 0)) return { name: its, state: 'closed' };
    return endsInMs === null ? { name: its, state: 'open' } : { name: its, state: 'ending', endsInMs };
  };
  return [login(name), login(secondLoginOf(name))];
}

async function alter(
  client: Client,
  id: string,
  { size, username, password, formerLogin }: Partial<DatabaseRequest>,
): Promise<void> {
  const name = escapeIdentifier(id);
  const logins = [id, secondLoginOf(id)];
  const unknown = [username, formerLogin?.name].find((login) => login !== undefined && !logins.includes(login));
  if (unknown !== undefined && isOwn(id))
    throw new ExternalError('Refused', `${unknown} is no login of the database ${id}`, { applied: 'no' });
  if (size !== undefined) await client.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${connectionLimits[size]}`);
  if (password === undefined && formerLogin === undefined) return;
  if (!isOwn(id)) {
    const message = `the database ${id} was not made here, and the passwords of its roles are not changed: take \`password\` out of the connection Secret`;
    throw new ExternalError('Unsupported', message, { applied: 'no' });
  }
  if (password !== undefined) {
    const [found] = await find(client, 'NAME = $1', id);
    if (found?.isDatabase === true && found.mark === undefined) await completeBroken(client, id, password);
    await giveLogin(client, id, { username: username ?? id, password });
  }
  if (formerLogin !== undefined) await endLogin(client, formerLogin.name, formerLogin.endsInMs);
}

/** The token can be derived from the name: all but letters and digits was replaced, which in tokens of UIDs are hyphens. */
async function completeBroken(client: Client, id: string, password: string): Promise<void> {
  const token = id.slice('o_'.length).replaceAll('_', '-');
  await complete(client, id, { password, mark: { token, owner: token.replace(/-\d+$/, '') } });
}
