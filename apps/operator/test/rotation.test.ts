import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { crd, databaseOperator } from './servers/database-operator.ts';
import { postgresPrograms, startPostgres } from './servers/postgres.ts';
import type { PostgresProcess } from './servers/postgres.ts';

const programs = postgresPrograms();
const patience = { timeout: 40_000, interval: 50 };

/** A role that may do no more than make roles and databases. */
const administrator = { user: 'provisioner', password: 'provisioner' };

type Login = Readonly<Record<'user' | 'password' | 'database', string>>;

/** What a statement gives that a client sends with this login. */
async function ask({ port }: PostgresProcess, login: Login, text = 'SELECT 1'): Promise<readonly unknown[]> {
  const client = new Client({ host: '127.0.0.1', port, ...login });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The login that the connection Secret names now. */
function loginNow(cluster: SimulatedCluster): Login {
  const { data = {} } = cluster.objects.find(secrets, 'default', 'orders-connection') ?? {};
  const value = (key: string): string => atob(data[key] ?? '');
  return { user: value('username'), password: value('password'), database: value('database') };
}

/** An application that logs in again and again, and reads the connection Secret about every two seconds, and what it has met. */
async function apply(
  server: PostgresProcess,
  { cluster, isOver }: { readonly cluster: SimulatedCluster; readonly isOver: () => boolean },
): Promise<{ readonly logins: Readonly<Record<string, number>>; readonly refused: readonly string[] }> {
  const logins: Record<string, number> = {};
  const refused: string[] = [];
  let login = loginNow(cluster);
  for (let count = 1; !isOver(); count += 1) {
    if (count % 20 === 0) login = loginNow(cluster);
    logins[login.user] = (logins[login.user] ?? 0) + 1;
    await ask(server, login, 'INSERT INTO orders VALUES (1)').catch((error: unknown) => refused.push(String(error)));
    await sleep(100);
  }
  return { logins, refused };
}

describe.skipIf(programs === undefined)(
  'the password of a PostgreSQL database (skipped where Debian’s package postgresql is not installed)',
  () => {
    test(
      'is rotated while an application logs in all the time, and no login is refused',
      { timeout: 120_000 },
      async () => {
        const server = await startPostgres(programs ?? '');
        const admin = { user: 'admin', password: server.password, database: 'postgres' };
        const byHand = (text: string) => ask(server, admin, text);
        const { user, password } = administrator;
        await byHand(`CREATE ROLE ${user} LOGIN CREATEDB CREATEROLE PASSWORD '${password}'`);
        const cluster = await SimulatedCluster.start({ crds: [crd], pace: 1, nodes: 0, events: false });
        const running = cluster.operator('ordinal', databaseOperator);
        const over = new AbortController();
        const turning = cluster.run({ until: () => over.signal.aborted, maxVirtualMs: 300_000 });
        const client = cluster.client();
        const resource = client(cloudDatabases).namespace('default');
        const now = (): CloudDatabase | undefined => cluster.objects.find(cloudDatabases, 'default', 'orders');
        const rotate = (value: string) =>
          resource.patch('orders', {
            type: 'merge',
            body: { metadata: { annotations: { 'ordinal.dev/rotate': value } } },
          });
        let isOver = false;
        try {
          const account = { provider: 'postgres', host: '127.0.0.1', username: user, password, sslMode: 'disable' };
          const description = Object.entries({ ...account, port: String(server.port) });
          await client(secrets)
            .namespace('default')
            .create({
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: { name: 'account', namespace: 'default' },
              data: Object.fromEntries(description.map(([key, value]) => [key, btoa(value)])),
            });
          await resource.create({
            apiVersion: 'db.example.com/v1',
            kind: 'CloudDatabase',
            metadata: { name: 'orders', namespace: 'default' },
            spec: {
              engine: 'postgres',
              size: 'large',
              providerRef: { name: 'account' },
              rotation: { every: '720h', overlap: '1m' },
            },
          });
          await expect.poll(() => now()?.status?.phase, patience).toBe('Ready');
          const first = loginNow(cluster);
          await ask(server, first, 'CREATE TABLE orders (id int)');
          const application = apply(server, { cluster, isOver: () => isOver });

          // Killed as soon as the next login is durable, and started again.
          const stopWatching = cluster.server.store.subscribe(({ kind, after }) => {
            const isNext = kind === 'secrets' && 'next-password' in ((after as { readonly data?: object }).data ?? {});
            if (!isNext) return;
            stopWatching();
            running.restart(200);
          });
          await rotate('first');
          await expect.poll(() => loginNow(cluster).user, patience).not.toBe(first.user);
          const second = loginNow(cluster);
          await expect.poll(() => now()?.status?.rotation?.formerLogin, patience).toBe(first.user);
          // The Secret holds nothing but what applications need.
          expect(Object.keys(cluster.objects.find(secrets, 'default', 'orders-connection')?.data ?? {}).sort()).toEqual(
            ['database', 'endpoint', 'host', 'password', 'port', 'username'],
          );
          // What the second login makes belongs to the database's own role, and the first one may change it.
          await ask(server, second, 'CREATE TABLE items (id int)');
          await ask(server, first, 'ALTER TABLE items ADD COLUMN name text');
          await sleep(4_000);

          // The end of the overlap, which is a minute away.
          await byHand(`ALTER ROLE ${first.user} VALID UNTIL '2000-01-01'`);
          await expect(ask(server, first)).rejects.toThrow('password authentication failed');
          await rotate('second');
          await expect.poll(() => loginNow(cluster).user, patience).toBe(first.user);
          expect(loginNow(cluster).password).not.toBe(first.password);
          await expect
            .poll(() => now()?.status?.rotation, patience)
            .toMatchObject({
              formerLogin: second.user,
              token: 'second',
            });
          await sleep(4_000);
          isOver = true;
          const { logins, refused } = await application;
          expect(refused).toEqual([]);
          expect(Object.keys(logins).sort()).toEqual([second.user, first.user].sort());

          await resource.delete('orders');
          await expect.poll(now, patience).toBeUndefined();
          expect(await byHand(`SELECT rolname FROM pg_roles WHERE rolname ~ '^[ol]_'`)).toEqual([]);
        } finally {
          isOver = true;
          over.abort();
          cluster.stop();
          await turning;
          await server.remove();
        }
      },
    );
  },
);
