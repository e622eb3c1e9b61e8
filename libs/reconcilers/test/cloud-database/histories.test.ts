import { describe, expect, test } from 'vitest';
import { runHistory } from '../external/database-history.ts';
import { databaseScenarios } from '../external/database-scenarios.ts';
import type { Fault } from '../external/fault.ts';
import { lostCreation, sample, singleFaults } from '../external/histories.ts';

/** Of how many single faults a test run tries one, at each kind of outside world. `npm run explore` tries all of them, and pairs. */
const every = { honest: 79, shifty: 83, tardy: 251 } as const;

describe.each(['honest', 'shifty', 'tardy'] as const)('at a provider that is %s', (temper) => {
  test.each(databaseScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a database that is %s',
    { timeout: 300_000 },
    async (_name, scenario, index) => {
      const undisturbed = await runHistory({ scenario, temper, faults: [], seed: 1 });
      expect(undisturbed.violations, undisturbed.text()).toEqual([]);
      const sampled = sample(singleFaults(undisturbed.calls), every[temper], index);
      for (const fault of [...lostCreation(undisturbed), ...sampled]) {
        const result = await runHistory({ scenario, temper, faults: [fault], seed: 1 });
        expect(result.violations, result.text()).toEqual([]);
      }
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
  const scenario = databaseScenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  const { violations, fired, text } = await runHistory({ scenario, temper: 'shifty', faults: [fault], seed: 1 });
  expect(fired).toHaveLength(1);
  expect(violations, text()).toEqual([]);
});
