import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzz } from '../../libs/runtime/test/fuzz/attack.ts';
import { answerIn, readReply, reviewRequest } from '../../libs/runtime/test/listener.ts';
import { startWorld, type World } from './world/world.ts';

/** `ATTACK_REQUESTS=100000 npm run attack -- 02` is the long run. */
const requests = Number(process.env['ATTACK_REQUESTS'] ?? 3000);
/** What an operator may hold while it is attacked: its container's limit is 512 MiB. */
const maxMiB = 400;

let world: World;

beforeAll(async () => {
  world = await startWorld({ heapMiB: 384 });
});

afterAll(() => world.stop());

async function open(): Promise<TLSSocket> {
  const { webhooks: port } = world.plane.ports;
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()));
  return socket;
}

/** How long a review takes that the API server could have sent, in milliseconds. */
async function askedMs(): Promise<number> {
  const begun = performance.now();
  const socket = await open();
  socket.write(reviewRequest('/validate'));
  const reply = await readReply(socket);
  const { operator } = world;
  const after = `after ${Math.round(performance.now() - begun)} ms`;
  if (reply === '')
    throw new Error(`no reply ${after}: ${operator.isRunning ? await operator.metrics() : operator.log}`);
  expect(answerIn(reply)).toEqual({ status: 200, allowed: true });
  socket.destroy();
  return performance.now() - begun;
}

/** The slowest of some reviews, one after the other, and the most memory that the operator held meanwhile. */
async function watched(during: Promise<unknown>): Promise<{ readonly slowestMs: number; readonly maxMiB: number }> {
  let [slowestMs, max, isOver] = [0, 0, false];
  const over = during.finally(() => (isOver = true));
  while (!isOver) {
    slowestMs = Math.max(slowestMs, await askedMs());
    max = Math.max(max, world.operator.residentMiB);
    await pause(50);
  }
  await over;
  return { slowestMs: Math.round(slowestMs), maxMiB: Math.round(max) };
}

const begun = (length: number): string =>
  `POST /validate?timeout=86400s HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;

/** Bodies whose end never comes, one on each connection, kept for a few seconds. */
async function unfinished(count: number, length: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, ' ');
  const sockets: TLSSocket[] = [];
  for (let at = 0; at < count; at += 1) {
    const socket = (await open()).resume();
    sockets.push(socket);
    socket.write(begun(length + 1));
    for (let sent = 0; sent < length; sent += piece.length)
      socket.write(piece.subarray(0, Math.min(piece.length, length - sent)));
  }
  await pause(3000);
  for (const socket of sockets) socket.destroy();
}

test.each([
  [70, 100],
  [1005, 100],
  [100, 7_900_000],
])(
  '%i unfinished bodies of %i bytes: reviews are answered in time all along, and memory is bounded',
  async (count, length) => {
    const seen = await watched(unfinished(count, length));
    console.log(
      `${count} bodies of ${length} bytes: slowest review ${seen.slowestMs} ms, at most ${seen.maxMiB} MiB resident`,
    );
    expect(seen.slowestMs).toBeLessThan(5000);
    expect(seen.maxMiB).toBeLessThan(maxMiB);
  },
);

test(`${requests} hostile requests end nothing`, async () => {
  const attack = fuzz({ port: world.plane.ports.webhooks, seed: 25, requests });
  const seen = await watched(attack);
  const { replies } = await attack;
  console.log(
    `${requests} hostile requests: ${JSON.stringify([...replies])}; slowest review ${seen.slowestMs} ms, at most ${seen.maxMiB} MiB resident`,
  );
  expect(replies.get(500)).toBeUndefined();
  expect(world.operator.isRunning).toBe(true);
  expect(seen.slowestMs).toBeLessThan(10_000);
  expect(seen.maxMiB).toBeLessThan(maxMiB);
}, 1_800_000);
