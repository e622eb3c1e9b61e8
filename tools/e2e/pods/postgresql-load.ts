// Writes up to 500 rows a second to PostgreSQL, each until a member has acknowledged it, and counts how long it had to wait and what of it is not there at the end. Runs in a pod.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

const members = (process.env['MEMBERS'] ?? '').split(',');
const password = process.env['PGPASSWORD'] ?? '';
const everyMs = 2;
/** How many writes wait for an answer at a time: one alone would wait for two disks before the next. */
const writers = 16;

const acknowledged = new Set<number>();
const refusals: Record<string, number> = {};
let next = 0;
let due = 0;
let running = true;
let lastAck = Number.POSITIVE_INFINITY;
let longestGapMs = 0;

function note(error: unknown): void {
  const word = error instanceof Error ? error.message.replace(/[0-9.:]+/g, '').slice(0, 60) : String(error);
  refusals[word] = (refusals[word] ?? 0) + 1;
}

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

/** One of those that write: they share the numbers and the pace. */
async function writer(first: number): Promise<void> {
  let client: Client | undefined;
  while (running) {
    const begun = performance.now();
    // The pace is kept on the average; what a break has cost is not made up for.
    due = Math.max(due + everyMs, begun - 10 * everyMs);
    if (due - begun >= 1) await sleep(Math.floor(due - begun));
    const number = next;
    next += 1;
    for (let isWritten = false; !isWritten && running;)
      try {
        client ??= await connect(first);
        if (client === undefined) throw new Error('no member leads');
        await client.query('insert into load values ($1) on conflict do nothing', [number]);
        isWritten = true;
      } catch (error) {
        note(error);
        void client?.end().catch(() => undefined);
        client = undefined;
        await sleep(5);
      }
    if (!running) return;
    const now = performance.now();
    if (lastAck !== Number.POSITIVE_INFINITY) longestGapMs = Math.max(longestGapMs, now - lastAck);
    lastAck = now;
    acknowledged.add(number);
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

async function countLost(): Promise<number> {
  const found = new Set((await read<{ number: number }>('select number from load')).map(({ number }) => number));
  return [...acknowledged].filter((number) => !found.has(number)).length;
}

/** What has been counted. A gap that is not over yet counts as well. */
const counts = () => ({
  acknowledged: acknowledged.size,
  longestGapMs: Math.max(longestGapMs, performance.now() - lastAck),
  refusals,
});

const startedAt = performance.now();
await read('create table if not exists load (number int primary key)');
const writing = Promise.all(Array.from({ length: writers }, (_, index) => writer(index)));
createServer((incoming, response) => {
  const answer = async (): Promise<object> => {
    const seconds = (performance.now() - startedAt) / 1000;
    if (incoming.url === '/finish') {
      running = false;
      await writing;
      return { ...counts(), lost: await countLost(), seconds };
    }
    const found = { ...counts(), seconds };
    if (incoming.url === '/reset') longestGapMs = 0;
    return found;
  };
  answer().then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(8000);
