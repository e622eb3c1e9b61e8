import { expect, test } from 'vitest';
import { runHistory } from './database-history.ts';
import { databaseScenarios } from './database-scenarios.ts';
import { create } from './database-steps.ts';
import { databaseWorld, honest } from '../../../libs/reconcilers/test/external/database-world.ts';
import type { Fault } from './fault.ts';
import { pinnedIn } from './pinned.ts';
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

test('a provider that shows nothing of what it refuses to delete refuses nothing meanwhile', async () => {
  const name = 'deleted at a provider that refuses deletions for two minutes';
  const faults: readonly Fault[] = [
    { kind: 'external', number: 28, when: 'before', effect: 'deny' },
    { kind: 'external', number: 30, when: 'before', effect: 'pause' },
  ];
  await pinnedIn(databaseScenarios, runHistory)(name, { profile: 'tardy', faults, seed: 2019934585 });
});
