import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzz } from '../../libs/runtime/test/fuzz/attack.ts';
import { answerIn, readReply, reviewRequest } from '../../libs/runtime/test/listener.ts';
import { open, unfinishedBodies } from './world/flood.ts';
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

/** How long a review takes that the API server could have sent, in milliseconds. */
async function askedMs(): Promise<number> {
  const begun = performance.now();
  const socket = await open(world.plane.ports.webhooks);
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

test.each([
  [70, 100],
  [1005, 100],
  [100, 7_900_000],
])(
  '%i unfinished bodies of %i bytes: reviews are answered in time all along, and memory is bounded',
  async (count, length) => {
    const seen = await watched(unfinishedBodies(world.plane.ports.webhooks, '/validate', { count, length }));
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
