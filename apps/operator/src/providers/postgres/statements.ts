import type { DatabaseRequest } from '@ordinal/reconcilers';
import { DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import type { Client } from 'pg';

/** What a size means here: how many connections a database may have. */
export const connectionLimits = { small: 20, medium: 100, large: 500 } as const;

/** What all names begin with that are made here. */
const ownPrefix = 'o_';

/** A database's name follows from the token, so that a repeated creation can only meet the first one's result. */
export const nameOf = (token: string): string => `${ownPrefix}${token.replaceAll(/[^a-zA-Z0-9]/g, '_')}`.slice(0, 63);

/** All of an owner's names begin so: the token is the owner and a number. */
export const prefixOf = (owner: string): string => `${nameOf(owner)}_`;

/** Whether the name is one of those that are made here: then there is a role of the same name, which is ours too. */
export const isOwn = (name: string): boolean => name.startsWith(ownPrefix);

/** What the names of second logins begin with, in place of `ownPrefix`: no look-up takes one for a database or its remains. */
const secondPrefix = 'l_';

/** The second login of a database of ours: a member of the role that owns the database, and at work that role. */
export const secondLoginOf = (name: string): string => `${secondPrefix}${name.slice(ownPrefix.length)}`;

/** For whom and by which token a database was made: what its comment says, once it is complete. */
interface Mark {
  readonly owner: string;
  readonly token: string;
}

/** What there is by a name. */
export interface Found {
  readonly name: string;
  readonly connectionLimit: number;
  readonly mark: Mark | undefined;
  /** Whether there is a database; without one, what is left is the role of one whose deletion broke off. */
  readonly isDatabase: boolean;
  /** What there is of its two logins, by their names. */
  readonly logins: Readonly<Record<string, FoundLogin>>;
}

/** A role as a login. */
interface FoundLogin {
  readonly mayLogIn: boolean;
  /** How long its password counts yet, in milliseconds by the server's clock; null: without an end. */
  readonly endsInMs: number | null;
}

const loginsOf = `SELECT json_object_agg(rolname, json_build_object('mayLogIn', rolcanlogin, 'endsInMs',
     CASE WHEN isfinite(rolvaliduntil) THEN extract(epoch FROM rolvaliduntil - now()) * 1000 END))
   FROM pg_roles WHERE rolname IN (datname, '${secondPrefix}' || substr(datname, ${ownPrefix.length + 1}))`;

const databasesWhere = (condition: string): string =>
  `SELECT datname AS name, datconnlimit AS connections, shobj_description(oid, 'pg_database') AS comment, true AS whole,
   (${loginsOf}) AS logins
   FROM pg_database WHERE NOT datistemplate AND ${condition.replace('NAME', 'datname')}`;

/** Roles may log in until their database's deletion begins. */
const remainsWhere = (condition: string): string =>
  `SELECT rolname, 0, NULL, false, NULL FROM pg_roles WHERE NOT rolcanlogin AND starts_with(rolname, '${ownPrefix}')
   AND ${condition.replace('NAME', 'rolname')} AND NOT EXISTS (SELECT FROM pg_database WHERE datname = rolname)`;

/** Finds what a condition on `NAME` and `$1` holds for. */
export async function find(
  client: Client,
  condition: 'NAME = $1' | 'starts_with(NAME, $1)',
  value: string,
): Promise<readonly Found[]> {
  const text = `${databasesWhere(condition)} UNION ALL ${remainsWhere(condition)} ORDER BY 1`;
  const { rows } = await client.query(text, [value]);
  // The columns of this very query.
  const found = rows as {
    readonly name: string;
    readonly connections: number;
    readonly comment: string | null;
    readonly whole: boolean;
    readonly logins: Readonly<Record<string, FoundLogin>> | null;
  }[];
  return found.map(({ name, connections, comment, whole, logins }) => ({
    name,
    connectionLimit: connections,
    mark: markOf(comment),
    isDatabase: whole,
    logins: logins ?? {},
  }));
}

/** What a complete database of ours has beside its name. */
export interface Completion {
  readonly password: string;
  readonly mark: Mark;
}

/**
 * Makes a database and its role, or what is missing of them. The database comes first and its mark last: whatever breaks this off, the database shows what
 * is left, and the mark that nothing is missing.
 */
export async function makeDatabase(client: Client, size: DatabaseRequest['size'], made: Completion): Promise<void> {
  const name = nameOf(made.mark.token);
  const limit = connectionLimits[size];
  await client.query(`CREATE DATABASE ${escapeIdentifier(name)} CONNECTION LIMIT ${limit}`).catch(ignoring('42P04'));
  await complete(client, name, made);
}

/** Gives a database the role that it belongs to, closes it to everyone else, and marks it as complete. */
export async function complete(client: Client, name: string, { password, mark }: Completion): Promise<void> {
  const database = escapeIdentifier(name);
  // Asked first: the server writes statements that fail to its log, with the password in them.
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  if (rowCount === 0)
    await client.query(`CREATE ROLE ${database} LOGIN PASSWORD ${escapeLiteral(password)}`).catch(ignoring('42710'));
  // To give a database to a role, PostgreSQL 15 and older ask to be a member of it.
  await client.query(`GRANT ${database} TO CURRENT_USER`).catch(ignoring('0LP01'));
  await client.query(`ALTER DATABASE ${database} OWNER TO ${database}`);
  await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  await client.query(`COMMENT ON DATABASE ${database} IS ${escapeLiteral(JSON.stringify(mark))}`);
}

/**
 * Gives one of a database's two logins a password that counts from now on and has no end. The second login is made where it is missing; its password comes last, so
 * that whatever breaks this off, it logs in only when its objects belong to the database's own role.
 */
export async function giveLogin(
  client: Client,
  name: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<void> {
  const login = escapeIdentifier(username);
  if (username !== name) {
    const owner = escapeIdentifier(name);
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [username]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${login} NOLOGIN`).catch(ignoring('42710'));
    await client.query(`GRANT ${owner} TO ${login}`);
    // To end its sessions when the database is dropped, one has to be a member of it.
    await client.query(`GRANT ${login} TO CURRENT_USER`).catch(ignoring('0LP01'));
    await client.query(`ALTER ROLE ${login} SET role TO ${escapeLiteral(name)}`);
  }
  await client.query(`ALTER ROLE ${login} LOGIN PASSWORD ${escapeLiteral(password)} VALID UNTIL 'infinity'`);
}

/** Has a login end after this time, by the server's clock. One that ends already keeps its end, so that a repetition does not put it off; one that is not there has ended. */
export async function endLogin(client: Client, username: string, endsInMs: number): Promise<void> {
  const { rows } = await client.query(
    `SELECT (now() + $2 * interval '1 millisecond')::text AS ends FROM pg_roles
     WHERE rolname = $1 AND isfinite(rolvaliduntil) IS NOT TRUE`,
    [username, endsInMs],
  );
  const [found] = rows as { readonly ends: string }[]; // The column of this very query.
  if (found === undefined) return;
  await client.query(`ALTER ROLE ${escapeIdentifier(username)} VALID UNTIL ${escapeLiteral(found.ends)}`);
}

/** Drops a database and its roles; of one that was not made here, the database only. What is gone already is no failure. */
export async function dropDatabase(client: Client, name: string): Promise<void> {
  const database = escapeIdentifier(name);
  // A role that can't log in any more shows, should this break off, that it is to be dropped.
  if (isOwn(name)) await client.query(`ALTER ROLE ${database} NOLOGIN`).catch(ignoring('42704'));
  await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  if (!isOwn(name)) return;
  for (const role of await rolesWithoutDatabase(client, name)) {
    await client.query(`DROP ROLE IF EXISTS ${escapeIdentifier(role)}`);
  }
}

/**
 * The roles of this name, and those of the same owner's databases that another client has dropped. Second logins come first: the role that shows that a deletion broke
 * off goes last.
 */
async function rolesWithoutDatabase(client: Client, name: string): Promise<readonly string[]> {
  const database = `'${ownPrefix}' || substr(rolname, ${ownPrefix.length + 1})`;
  const isOurs = `starts_with(rolname, '${ownPrefix}') OR starts_with(rolname, '${secondPrefix}')`;
  const condition = `(${isOurs}) AND NOT EXISTS (SELECT FROM pg_database WHERE datname = ${database})`;
  const ofOwner = name.replace(/\d+$/, '');
  const text = `SELECT rolname FROM pg_roles WHERE (${database} = $1 OR ${database} ~ ('^' || $2 || '[0-9]+$')) AND ${condition}
   ORDER BY starts_with(rolname, '${ownPrefix}')`;
  const { rows } = await client.query(text, [name, ofOwner]);
  return (rows as { readonly rolname: string }[]).map(({ rolname }) => rolname); // The column of this very query.
}

function ignoring(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof DatabaseError) || error.code !== code) throw error;
  };
}

function markOf(comment: string | null): Mark | undefined {
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
