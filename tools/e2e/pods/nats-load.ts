// Writes 500 messages a second to a stream of three replicas, each until JetStream has acknowledged it, and counts how long it had to wait and what of it is not there at
// the end. Runs in a pod.
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const servers = (process.env['MEMBERS'] ?? '').split(',').map((member) => `${member}:4222`);
const everyMs = 2;
/** How many writes wait for an answer at a time. */
const writers = 32;
/** When a write is sent again. JetStream answers nothing where a leader has just gone. */
const answerMs = 250;

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

/** Tries until it works. */
async function insist<T>(action: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await action();
    } catch (error) {
      note(error);
      await sleep(20);
    }
}

const connection = await insist(() =>
  connect({
    ...{ servers, user: 'app', pass: 'app', timeout: 1_000 },
    ...{ maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 10 },
  }),
);
const streams = jetstream(connection);
const manager = await insist(() => jetstreamManager(connection));
await insist(() => manager.streams.add({ name: 'LOAD', subjects: ['load.>'], num_replicas: 3 }));

/** One of those that write: they share the numbers and the pace. A message that is sent again is stored once. */
async function writer(): Promise<void> {
  while (running) {
    const begun = performance.now();
    // The pace is kept on the average; what a break has cost is not made up for.
    due = Math.max(due + everyMs, begun - 10 * everyMs);
    if (due - begun >= 1) await sleep(Math.floor(due - begun));
    const number = next;
    next += 1;
    await insist(() => streams.publish(`load.${number}`, `v${number}`, { msgID: String(number), timeout: answerMs }));
    const now = performance.now();
    acknowledged.add(number);
    if (lastAck !== Number.POSITIVE_INFINITY) longestGapMs = Math.max(longestGapMs, now - lastAck);
    lastAck = now;
  }
}

/** How many of the acknowledged messages are not there. */
async function countLost(): Promise<number> {
  const missing = new Set(acknowledged);
  const { state } = await insist(() => manager.streams.info('LOAD'));
  await insist(() => manager.consumers.add('LOAD', { durable_name: 'reader', ack_policy: AckPolicy.None }));
  const reader = await insist(() => streams.consumers.get('LOAD', 'reader'));
  for (let seen = state.first_seq - 1; seen < state.last_seq;) {
    const messages = await reader.fetch({ max_messages: 1_000, expires: 5_000 });
    for await (const message of messages) {
      seen = message.seq;
      const number = Number(message.subject.slice('load.'.length));
      if (message.string() === `v${number}`) missing.delete(number);
    }
  }
  return missing.size;
}

const leaderOf = async (): Promise<string> => (await insist(() => manager.streams.info('LOAD'))).cluster?.leader ?? '';

const startedAt = performance.now();
const writing = Promise.all(Array.from({ length: writers }, () => writer()));
createServer((incoming, response) => {
  const answer = async (): Promise<object> => {
    // A gap that is not over yet counts as well.
    const counts = {
      ...{ acknowledged: acknowledged.size, refusals, seconds: (performance.now() - startedAt) / 1000 },
      longestGapMs: Math.max(longestGapMs, performance.now() - lastAck),
    };
    if (incoming.url === '/finish') {
      running = false;
      await writing;
      return { ...counts, acknowledged: acknowledged.size, lost: await countLost() };
    }
    if (incoming.url === '/reset') longestGapMs = 0;
    return { ...counts, leader: await leaderOf() };
  };
  answer().then(
    (body) => response.end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(8000);
