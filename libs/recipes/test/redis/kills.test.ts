import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemberSet, missing, reason } from './members.ts';
import { Writer } from './writer.ts';

const ordinals = [0, 1, 2] as const;

/** How often all members end, by a number that more of the same can be asked for with. */
const rounds = Number(process.env['RECIPE_ROUNDS'] ?? 3);
const seeds = (process.env['RECIPE_SEEDS'] ?? '1').split(',').map(Number);

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const shuffled = <T>(list: readonly T[], random: () => number): readonly T[] =>
  list
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);

/** Ends all members: by a signal that they can't handle, often just after a hand-over, or as pods are deleted, each with its hand-over first. */
async function endAll(set: MemberSet, leader: number, random: () => number): Promise<void> {
  if (random() < 0.6) {
    if (random() < 0.8) await set.run(leader, 'handoff.sh');
    await sleep(random() * 400);
    return set.killAll();
  }
  const ends = ordinals.map(async (ordinal) => {
    await sleep(random() * 150);
    await set.run(ordinal, 'handoff.sh');
    await set.stop(ordinal);
  });
  await Promise.all(ends);
}

test.skipIf(missing !== undefined).each(seeds)(
  `all members end under 500 writes a second, and start in another order at other addresses (${reason}): seed %i`,
  { timeout: 300_000 * rounds },
  async (seed) => {
    const random = randomOf(seed);
    const set = new MemberSet({ isPersistent: true, replicas: ordinals.length });
    set.start(...ordinals);
    await set.settled();
    const writer = new Writer(() => set.endpoints);
    try {
      for (let round = 0; round < rounds; round += 1) {
        const before = writer.acknowledged;
        await expect.poll(() => writer.acknowledged, { timeout: 60_000 }).toBeGreaterThan(before + 100);
        const leader = await set.settled();
        await sleep(random() * 500);
        await endAll(set, leader, random);
        set.move();
        for (const ordinal of shuffled(ordinals, random)) {
          set.start(ordinal);
          await sleep(random() * 700);
        }
        const leads = await set.settled();
        const { acknowledged } = writer;
        expect(await set.missing(leads, acknowledged), `round ${round}, of ${acknowledged}`).toEqual([]);
      }
    } finally {
      await writer.stop();
      await set.remove();
    }
  },
);
