import { describe, test } from 'vitest';
import { runHistory } from './database-history.ts';
import { databaseScenarios } from './database-scenarios.ts';
import type { Fault } from './fault.ts';
import { pinnedIn } from './pinned.ts';
import { surviveSingleFaults } from './survive.ts';

describe.each(['honest', 'shifty', 'tardy'] as const)('at a provider that is %s', (profile) => {
  test.each(databaseScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a database that is %s',
    { timeout: 300_000 },
    async (_name, scenario, offset) => {
      const play = (faults: readonly Fault[]) => runHistory({ scenario, profile, faults, seed: 1 });
      await surviveSingleFaults(play, { profile, offset });
    },
  );
});

/** Histories that once broke an invariant. */
const regressions: readonly (readonly [string, string, Fault])[] = [
  [
    // What was seen before a pause was taken for the state after it, and a database that was denied only at first was left behind.
    'the process stands still between its look and its decision',
    'deleted 1500 ms after its creation',
    { kind: 'external', number: 6, when: 'before', effect: 'pause' },
  ],
];

test.each(regressions)('no more: %s', async (_what, name, fault) => {
  await pinnedIn(databaseScenarios, runHistory)(name, { profile: 'shifty', faults: [fault], seed: 1 });
});
