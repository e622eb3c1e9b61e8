// Writes 500 keys a second to whichever member leads, and counts what it was promised, what is lost of that, and how long it had to wait. Runs in a pod.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const members = (process.env['MEMBERS'] ?? '').split(',');
const everyMs = 2;

/** A connection that speaks just enough of the Redis protocol: one command, one reply. */
class Connection {
  readonly #socket: Socket;
  #text = '';
  #waiting: { resolve: (reply: string) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#take(data.toString('latin1')));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('closed')));
  }

  static open(host: string, timeoutMs: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port: 6379 });
      const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), timeoutMs);
      socket.once('error', reject);
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeListener('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** The whole reply, as it came. A reply that does not come in time ends the connection. */
  send(timeoutMs: number, ...words: readonly string[]): Promise<string> {
    const command = `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), timeoutMs);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          then(value);
        };
      this.#waiting = { resolve: settle(resolve), reject: settle(reject) };
      this.#socket.write(command);
    });
  }

  close(): void {
    this.#socket.destroy();
    this.#fail(new Error('closed'));
  }

  #take(text: string): void {
    this.#text += text;
    const end = replyEnd(this.#text, 0);
    if (end === undefined) return;
    const reply = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    this.#waiting?.resolve(reply);
    this.#waiting = undefined;
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** Where the reply that begins here ends; undefined while it is not all there. */
function replyEnd(text: string, from: number): number | undefined {
  const line = text.indexOf('\r\n', from);
  if (line < 0) return undefined;
  const size = Number(text.slice(from + 1, line));
  if (text[from] === '$') {
    const end = size < 0 ? line + 2 : line + 2 + size + 2;
    return end <= text.length ? end : undefined;
  }
  if (text[from] !== '*') return line + 2;
  let place: number | undefined = line + 2;
  for (let index = 0; index < size && place !== undefined; index += 1) place = replyEnd(text, place);
  return place;
}

/** The address that each name had at last. */
const addresses = new Map<string, string>();

/** The address of a member; where the look-up takes long, as on a busy node, the one that was found last. The answer is there for the next attempt. */
function addressOf(host: string): Promise<string> {
  const found = lookup(host).then(({ address }) => {
    addresses.set(host, address);
    return address;
  });
  return Promise.race([found, sleep(100).then(() => addresses.get(host) ?? found)]);
}

/** What each member has answered last when it was asked whether it leads, and did not. */
let answers: Record<string, string> = {};
let isSeeking = false;

/** Asks every member again and again, each at its own pace, and takes the first that says it leads. */
function findLeader(): Promise<Connection> {
  return new Promise((resolve) => {
    let found = false;
    answers = Object.fromEntries(members.map((host) => [host, 'nothing yet']));
    isSeeking = true;
    const ask = async (host: string): Promise<void> => {
      while (!found) {
        const connection = await addressOf(host)
          .then((address) => Connection.open(address, 500))
          .catch((error: Error) => error);
        const isOpen = connection instanceof Connection;
        const role = isOpen ? await connection.send(500, 'ROLE').catch(String) : String(connection);
        if (isOpen && !found && role.includes('master')) {
          found = true;
          isSeeking = false;
          resolve(connection);
          return;
        }
        if (!found) answers[host] = `${role.split(/\s+/).join(' ')} after ${Math.round(performance.now())} ms`;
        if (isOpen) connection.close();
        await sleep(5);
      }
    };
    for (const host of members) void ask(host);
  });
}

let acknowledged = 0;
/** When the last write was acknowledged; never yet, before the first leader is found. */
let lastAck = Number.POSITIVE_INFINITY;
let running = true;
let switches = 0;
let longestGapMs = 0;
let longestWaitMs = 0;
/** Of the longest gap: until the leader of before had answered with something else, until another one was found, and what the members had answered until then. */
let longestGapParts = { refusedAfterMs: 0, foundAfterMs: 0, answers };
const refusals: Record<string, number> = {};

async function write(): Promise<void> {
  let leader = await findLeader();
  lastAck = performance.now();
  let due = lastAck;
  for (let key = 0; running; key += 1) {
    const begun = performance.now();
    let parts: typeof longestGapParts = { refusedAfterMs: 0, foundAfterMs: 0, answers: {} };
    for (;;) {
      const reply = await leader
        .send(2_000, 'SET', `load:${key}`, `v${key}`)
        .catch((error: Error) => `-${error.message}`);
      if (reply.startsWith('+OK')) break;
      const word = reply.slice(1).split(/[\s.]/)[0] ?? '';
      refusals[word] = (refusals[word] ?? 0) + 1;
      leader.close();
      const refusedAfterMs = parts.refusedAfterMs || performance.now() - lastAck;
      leader = await findLeader();
      parts = { refusedAfterMs, foundAfterMs: performance.now() - lastAck, answers };
      switches += 1;
    }
    acknowledged = key + 1;
    const now = performance.now();
    if (now - lastAck > longestGapMs) {
      longestGapMs = now - lastAck;
      longestGapParts = parts;
    }
    longestWaitMs = Math.max(longestWaitMs, now - begun);
    lastAck = now;
    // The pace is kept on the average; what a break has cost is not made up for.
    due = Math.max(due + everyMs, now - 10 * everyMs);
    if (due - now >= 1) await sleep(Math.floor(due - now));
  }
  leader.close();
}

/** How many of the acknowledged writes are not there. */
async function countLost(): Promise<number> {
  const leader = await findLeader();
  let lost = 0;
  for (let from = 0; from < acknowledged; from += 500) {
    const keys = Array.from({ length: Math.min(500, acknowledged - from) }, (_, index) => from + index);
    const reply = await leader.send(10_000, 'MGET', ...keys.map((key) => `load:${key}`));
    for (const key of keys) if (!reply.includes(`\r\nv${key}\r\n`)) lost += 1;
  }
  leader.close();
  return lost;
}

/** What has been counted. A gap that is not over yet counts as well. */
const counts = () => ({
  acknowledged,
  longestGapMs: Math.max(longestGapMs, performance.now() - lastAck),
  longestGapParts,
  longestWaitMs,
  switches,
  refusals,
  answers: isSeeking ? answers : {},
});

const startedAt = performance.now();
const writing = write();
createServer((request, response) => {
  const answer = async (): Promise<object> => {
    const seconds = (performance.now() - startedAt) / 1000;
    if (request.url === '/finish') {
      running = false;
      await writing;
      return { ...counts(), lost: await countLost(), seconds };
    }
    const found = { ...counts(), seconds };
    if (request.url === '/reset') longestGapMs = longestWaitMs = switches = 0;
    return found;
  };
  answer().then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(8000);
