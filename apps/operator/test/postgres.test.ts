import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { postgresServer } from '../src/providers/postgres/postgres.ts';
import { postgresPrograms, startPostgres } from './servers/postgres.ts';
import type { PostgresProcess } from './servers/postgres.ts';

const programs = postgresPrograms();
const { signal } = new AbortController();
const desired = {
  engine: 'postgres',
  size: 'small',
  displayName: 'shop/orders',
  username: 'ordinal',
  password: 'first-password',
} as const;
/** A role that may do no more than make roles and databases: since PostgreSQL 16 it may change only those roles that it has made. */
const provisioner = { user: 'provisioner', password: 'provisioner' };
let owners = 0;

describe.skipIf(programs === undefined)(
  'PostgreSQL databases (skipped where Debian’s package postgresql is not installed)',
  () => {
    let server: PostgresProcess;
    beforeAll(async () => {
      server = await startPostgres(programs ?? '');
      const { user, password } = provisioner;
      await asSuperuser(`CREATE ROLE ${user} LOGIN CREATEDB CREATEROLE PASSWORD '${password}'`);
    }, 60_000);
    afterAll(async () => (server as PostgresProcess | undefined)?.remove());

    const provider = () =>
      postgresServer({
        host: '127.0.0.1',
        port: server.port,
        username: provisioner.user,
        password: provisioner.password,
        database: 'postgres',
        sslMode: 'disable',
        lookup: checkedLookup({ allowedNetworks: ['127.0.0.1/32'] }),
        callTimeoutMs: 20_000,
      });

    /** What another client does at the server. */
    async function ask(text: string, as: { user: string; password: string; database?: string }): Promise<unknown[]> {
      const client = new Client({ host: '127.0.0.1', port: server.port, database: 'postgres', ...as });
      await client.connect();
      try {
        const { rows } = await client.query<Record<string, unknown>>(text);
        return rows;
      } finally {
        await client.end();
      }
    }
    const asSuperuser = (text: string) => ask(text, { user: 'admin', password: server.password });
    const byHand = (text: string) => ask(text, provisioner);
    const rolesOf = (name: string) => byHand(`SELECT rolname FROM pg_roles WHERE rolname = '${name}'`);
    const newOwner = () => `owner${(owners += 1)}`;

    test('a creation that broke off after its first statement is found, and completed by a password', async () => {
      const owner = newOwner();
      const name = `o_${owner}_1`;
      await byHand(`CREATE DATABASE ${name}`);
      expect(await provider().findByOwner(owner, signal)).toMatchObject([{ id: name, owner, state: 'failed' }]);
      await provider().update(name, { password: 'second-password' }, signal);
      expect(await provider().get(name, signal)).toMatchObject({ state: 'ready', owner, token: `${owner}-1` });
      await ask('CREATE TABLE orders (id int)', { user: name, password: 'second-password', database: name });
      await byHand(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`);
      const stranger = ask('SELECT 1', { user: 'stranger', password: 'stranger', database: name });
      await expect(stranger).rejects.toThrow('permission denied');
    });

    test('a creation that broke off is completed by its repetition, and taken away by a deletion', async () => {
      const owner = newOwner();
      await byHand(`CREATE DATABASE o_${owner}_1`);
      const made = await provider().create({ token: `${owner}-1`, owner, desired }, signal);
      expect(made).toMatchObject({ id: `o_${owner}_1`, state: 'ready' });
      await ask('SELECT 1', { user: made.id, password: desired.password, database: made.id });
      await provider().delete({ id: made.id }, signal);
      expect(await provider().findByOwner(owner, signal)).toEqual([]);
      expect(await rolesOf(made.id)).toEqual([]);
    });

    test('a deletion that broke off between the database and its role shows, until it is repeated', async () => {
      const owner = newOwner();
      const { id } = await provider().create({ token: `${owner}-1`, owner, desired }, signal);
      await byHand(`ALTER ROLE ${id} NOLOGIN`);
      await byHand(`DROP DATABASE ${id}`);
      expect(await provider().findByOwner(owner, signal)).toMatchObject([{ id, owner, state: 'failed' }]);
      await provider().delete({ id }, signal);
      expect(await provider().findByOwner(owner, signal)).toEqual([]);
      expect(await rolesOf(id)).toEqual([]);
    });

    test('the role of a database that another client has dropped is removed with the next one of its owner', async () => {
      const owner = newOwner();
      const first = await provider().create({ token: `${owner}-1`, owner, desired }, signal);
      await byHand(`DROP DATABASE ${first.id}`);
      expect(await provider().get(first.id, signal)).toBeUndefined();
      const second = await provider().create({ token: `${owner}-2`, owner, desired }, signal);
      const other = await provider().create({ token: `${owner}1-1`, owner: `${owner}1`, desired }, signal);
      await provider().delete({ id: second.id }, signal);
      expect(await rolesOf(first.id)).toEqual([]);
      expect(await rolesOf(other.id)).toHaveLength(1);
    });

    test('two logins take turns: the next one has its password last, and the end of a former one is not put off', async () => {
      const owner = newOwner();
      const { id } = await provider().create({ token: `${owner}-1`, owner, desired }, signal);
      const second = `l_${owner}_1`;
      const logins = async () => (await provider().get(id, signal))?.logins;
      expect(await logins()).toEqual([
        { name: id, state: 'open' },
        { name: second, state: 'closed' },
      ]);
      const next = { username: second, password: 'second-password' };
      // It broke off before the password.
      await byHand(`CREATE ROLE ${second} NOLOGIN`);
      expect(await logins()).toMatchObject([{ state: 'open' }, { state: 'closed' }]);
      for (let times = 1; times <= 2; times += 1) await provider().update(id, next, signal);
      const login = { user: second, password: next.password, database: id };
      expect(await ask('SELECT current_user, session_user', login)).toEqual([
        { current_user: id, session_user: second },
      ]);
      for (const endsInMs of [60_000, 3_600_000])
        await provider().update(id, { formerLogin: { name: id, endsInMs } }, signal);
      const [former, current] = (await logins()) ?? [];
      expect([former?.state, current?.state]).toEqual(['ending', 'open']);
      expect(former?.endsInMs).toBeLessThanOrEqual(60_000);
      await ask('SELECT 1', { user: id, password: desired.password, database: id });
      await byHand(`ALTER ROLE ${id} VALID UNTIL '2000-01-01'`);
      expect(await logins()).toMatchObject([{ state: 'closed' }, { state: 'open' }]);
      await provider().update(id, { username: id, password: 'third-password' }, signal);
      expect(await logins()).toMatchObject([{ state: 'open' }, { state: 'open' }]);
      const strange = provider().update(id, { username: 'admin', password: 'mine' }, signal);
      await expect(strange).rejects.toMatchObject({ code: 'Refused', applied: 'no' });
      await provider().delete({ id }, signal);
      expect([...(await rolesOf(id)), ...(await rolesOf(second))]).toEqual([]);
    });

    test('a deletion that broke off between its roles shows, until it is repeated', async () => {
      const owner = newOwner();
      const { id } = await provider().create({ token: `${owner}-1`, owner, desired }, signal);
      const second = `l_${owner}_1`;
      await provider().update(id, { username: second, password: 'second-password' }, signal);
      await byHand(`ALTER ROLE ${id} NOLOGIN`);
      await byHand(`DROP DATABASE ${id}`);
      expect(await provider().findByOwner(owner, signal)).toMatchObject([{ id, owner, state: 'failed' }]);
      await provider().delete({ id }, signal);
      expect(await provider().findByOwner(owner, signal)).toEqual([]);
      expect([...(await rolesOf(id)), ...(await rolesOf(second))]).toEqual([]);
    });

    test('a database that was not made here keeps its role, and its role keeps its password', async () => {
      await asSuperuser(`CREATE ROLE legacy LOGIN PASSWORD 'legacy'`);
      await asSuperuser(`CREATE DATABASE legacy OWNER legacy`);
      await asSuperuser(`GRANT legacy TO ${provisioner.user}`);
      expect(await provider().findByName('legacy', signal)).toMatchObject({ id: 'legacy', state: 'ready' });
      await provider().update('legacy', { size: 'medium' }, signal);
      const change = provider().update('legacy', { password: 'mine' }, signal);
      await expect(change).rejects.toMatchObject({ code: 'Unsupported', retry: 'terminal', applied: 'no' });
      await ask('SELECT 1', { user: 'legacy', password: 'legacy', database: 'legacy' });
      await provider().delete({ id: 'legacy' }, signal);
      expect(await rolesOf('legacy')).toHaveLength(1);
    });

    test('the database that the server is administered from can’t be taken over', async () => {
      const found = provider().findByName('postgres', signal);
      await expect(found).rejects.toMatchObject({ code: 'Refused', retry: 'terminal' });
    });
  },
);
