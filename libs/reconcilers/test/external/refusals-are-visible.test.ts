import { expect, test } from 'vitest';
import { create } from './database-steps.ts';
import { databaseWorld, honest } from './database-world.ts';
import { watchProviders } from './refusals-are-visible.ts';

test('a provider that is down for a minute shows, and the oracle says so where no event was published', async () => {
  for (const [isHeard, expected] of [
    [true, []],
    [false, [expect.stringMatching(/^GET was answered with 503 a minute ago: no event was published$/)]],
  ] as const) {
    const world = await databaseWorld(1, honest);
    const found: string[] = [];
    watchProviders(isHeard ? world : { ...world, events: [] }, (what) => found.push(what));
    world.provider.outage = 503;
    await create(world);
    await world.cluster.advance(100_000);
    expect(found.slice(0, 1)).toEqual(expected);
    world.cluster.stop();
  }
});
