// Writes 500 keys a second to etcd, each until a member has acknowledged it, and counts how long it had to wait and what of it is not there at the end. Runs in a pod.
import { lookup } from 'node:dns/promises';
import { Agent, createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const members = (process.env['MEMBERS'] ?? '').split(',');
const everyMs = 2;
/** How many writes wait for an answer at a time: one alone would wait for the disks of a majority before the next. */
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

let next = 0;
let acknowledged = 0;
let lastAck = Number.POSITIVE_INFINITY;
let longestGapMs = 0;
let longestWaitMs = 0;
let running = true;
let due = 0;
const refusals: Record<string, number> = {};

async function writeOne(number: number, first: number): Promise<number> {
  const body = { key: encoded(keyOf(number)), value: encoded(`v${number}`) };
  for (let member = first; ; member = (member + 1) % members.length) {
    try {
      await call(members[member] ?? '', '/v3/kv/put', body, answerMs);
      return member;
    } catch (error) {
      const word = error instanceof Error ? error.message.replace(/[0-9.:]+/g, '').slice(0, 60) : String(error);
      refusals[word] = (refusals[word] ?? 0) + 1;
      await sleep(5);
    }
  }
}

/** One of those that write: they share the numbers and the pace. */
async function writer(first: number): Promise<void> {
  let member = first % members.length;
  while (running) {
    const begun = performance.now();
    // The pace is kept on the average; what a break has cost is not made up for.
    due = Math.max(due + everyMs, begun - 10 * everyMs);
    if (due - begun >= 1) await sleep(Math.floor(due - begun));
    if (!running) return;
    const sentAt = performance.now();
    const number = next;
    next += 1;
    member = await writeOne(number, member);
    const now = performance.now();
    acknowledged += 1;
    if (lastAck !== Number.POSITIVE_INFINITY) longestGapMs = Math.max(longestGapMs, now - lastAck);
    longestWaitMs = Math.max(longestWaitMs, now - sentAt);
    lastAck = now;
  }
}

interface Range {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
  readonly more?: boolean;
}

/** How many of the acknowledged writes are not there, by a read that a majority answers for. */
async function countLost(): Promise<number> {
  let found = 0;
  let from = encoded(keyOf(0));
  for (let isMore = true; isMore;) {
    const body = { key: from, range_end: encoded('load0'), limit: '1000', sort_order: 'ASCEND', sort_target: 'KEY' };
    const page = (await readPage(body)) as Range; // As etcd's gateway answers.
    for (const { key, value } of page.kvs ?? []) {
      const number = Number(Buffer.from(key, 'base64').toString().slice(5));
      if (Buffer.from(value, 'base64').toString() === `v${number}`) found += 1;
    }
    const last = page.kvs?.at(-1)?.key;
    isMore = page.more === true && last !== undefined;
    if (last !== undefined) from = Buffer.concat([Buffer.from(last, 'base64'), Buffer.of(0)]).toString('base64');
  }
  return acknowledged - found;
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

/** What has been counted. A gap that is not over yet counts as well. */
const counts = () => ({
  acknowledged,
  longestGapMs: Math.max(longestGapMs, performance.now() - lastAck),
  longestWaitMs,
  refusals,
});

const startedAt = performance.now();
for (const member of members) void follow(member);
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
    if (incoming.url === '/reset') longestGapMs = longestWaitMs = 0;
    return found;
  };
  answer().then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(8000);
