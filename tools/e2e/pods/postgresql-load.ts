// Writes up to 500 rows a second to PostgreSQL, each until a member has acknowledged it, and counts how long it had to wait and what of it is not there at the end. Runs in a pod.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { note, run } from './paced-writes.ts';

const members = (process.env['MEMBERS'] ?? '').split(',');
const password = process.env['PGPASSWORD'] ?? '';
const writers = 16;

/** A connection to the member that leads; undefined where none says so. */
async function connect(first: number): Promise<Client | undefined> {
  for (const offset of members.keys()) {
    const host = members[(first + offset) % members.length] ?? '';
    const to = { host, user: 'postgres', database: 'postgres', password };
    const client = new Client({ ...to, connectionTimeoutMillis: 1000, query_timeout: 3000 });
    client.on('error', note);
    try {
      await client.connect();
      const { rows } = await client.query<{ reads: boolean }>('select pg_is_in_recovery() as reads');
      if (rows[0]?.reads === false) return client;
    } catch (error) {
      note(error);
    }
    void client.end().catch(() => undefined);
  }
  return undefined;
}

/** The connection of each of those that write. */
const clients: (Client | undefined)[] = [];

async function write(number: number, writer: number): Promise<void> {
  const client = (clients[writer] ??= await connect(writer));
  if (client === undefined) throw new Error('no member leads');
  try {
    await client.query('insert into load values ($1) on conflict do nothing', [number]);
  } catch (error) {
    clients[writer] = undefined;
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** Asks the member that leads, until it answers. */
async function read<Row extends object>(statement: string): Promise<readonly Row[]> {
  for (let tries = 0; ; tries += 1) {
    const client = await connect(0);
    try {
      if (client === undefined) throw new Error('no member leads');
      return (await client.query<Row>(statement)).rows;
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(200);
    } finally {
      void client?.end().catch(() => undefined);
    }
  }
}

async function countLost(acknowledged: ReadonlySet<number>): Promise<number> {
  const found = new Set((await read<{ number: number }>('select number from load')).map(({ number }) => number));
  return [...acknowledged].filter((number) => !found.has(number)).length;
}

await read('create table if not exists load (number int primary key)');
run({ writers, write, countLost });
