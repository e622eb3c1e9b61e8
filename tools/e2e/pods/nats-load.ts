// Writes 500 messages a second to a stream of three replicas, each until JetStream has acknowledged it, and counts how long it had to wait and what of it is not there at
// the end. Runs in a pod.
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { note, run } from './paced-writes.ts';

const servers = (process.env['MEMBERS'] ?? '').split(',').map((member) => `${member}:4222`);
/** When a write is sent again. JetStream answers nothing where a leader has just gone. */
const answerMs = 250;

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

/** A message that is sent again is stored once. */
async function write(number: number): Promise<void> {
  await streams.publish(`load.${number}`, `v${number}`, { msgID: String(number), timeout: answerMs });
}

async function countLost(acknowledged: ReadonlySet<number>): Promise<number> {
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

/** The server that leads the stream. */
async function leader(): Promise<{ readonly leader: string }> {
  const { cluster } = await insist(() => manager.streams.info('LOAD'));
  return { leader: cluster?.leader ?? '' };
}

run({ writers: 32, write, countLost, more: leader });
