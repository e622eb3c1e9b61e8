// Writes 500 keys a second to etcd, each until a member has acknowledged it, and counts how long it had to wait and what of it is not there at the end. Runs in a pod.
import { lookup } from 'node:dns/promises';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './paced-writes.ts';

const members = (process.env['MEMBERS'] ?? '').split(',');
const writers = 32;
const answerMs = 1_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const keyOf = (number: number): string => `load/${String(number).padStart(9, '0')}`;

/** Where members are, by the name server: asked once at a time for each, as many questions at once would wait for one another. */
const addresses = new Map<string, string>();

async function follow(host: string): Promise<never> {
  for (;;) {
    const found = await lookup(host).catch(() => undefined);
    if (found === undefined) addresses.delete(host);
    else addresses.set(host, found.address);
    await sleep(200);
  }
}

/** One call of etcd's JSON gateway. Rejects where the member does not answer in time, or with anything but success. */
function call(member: string, path: string, body: object, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const host = addresses.get(member);
    if (host === undefined) {
      reject(new Error('no address'));
      return;
    }
    const options = { host, port: 2379, method: 'POST', path, agent, timeout: timeoutMs };
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${String(response.statusCode)} ${text.slice(0, 80)}`));
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), timeoutMs);
    sent.on('close', () => clearTimeout(timer)).on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Which member each of those that write asks: the next one where one does not answer. */
const asked = Array.from({ length: writers }, (_, writer) => writer % members.length);

async function write(number: number, writer: number): Promise<void> {
  const member = asked[writer] ?? 0;
  const body = { key: encoded(keyOf(number)), value: encoded(`v${number}`) };
  try {
    await call(members[member] ?? '', '/v3/kv/put', body, answerMs);
  } catch (error) {
    asked[writer] = (member + 1) % members.length;
    throw error;
  }
}

interface Range {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
  readonly more?: boolean;
}

/** How many of the acknowledged writes are not there, by a read that a majority answers for. */
async function countLost(acknowledged: ReadonlySet<number>): Promise<number> {
  const missing = new Set(acknowledged);
  let from = encoded(keyOf(0));
  for (let isMore = true; isMore;) {
    const body = { key: from, range_end: encoded('load0'), limit: '1000', sort_order: 'ASCEND', sort_target: 'KEY' };
    const page = (await readPage(body)) as Range; // As etcd's gateway answers.
    for (const { key, value } of page.kvs ?? []) {
      const number = Number(Buffer.from(key, 'base64').toString().slice(5));
      if (Buffer.from(value, 'base64').toString() === `v${number}`) missing.delete(number);
    }
    const last = page.kvs?.at(-1)?.key;
    isMore = page.more === true && last !== undefined;
    if (last !== undefined) from = Buffer.concat([Buffer.from(last, 'base64'), Buffer.of(0)]).toString('base64');
  }
  return missing.size;
}

async function readPage(body: object): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(members[tries % members.length] ?? '', '/v3/kv/range', body, 10_000);
    } catch (error) {
      if (tries > 20) throw error;
      await sleep(200);
    }
  }
}

for (const member of members) void follow(member);
run({ writers, write, countLost });
