import { describe, expect, test } from 'vitest';
import { runHistory } from '../external/database-history.ts';
import { databaseScenarios } from '../external/database-scenarios.ts';
import { sample, singleFaults } from '../external/histories.ts';

/** The share of all single faults that a test run tries. `npm run explore` tries all of them, and pairs. */
const every = 9;

describe.each(['honest', 'shifty'] as const)('at a provider that is %s', (temper) => {
  test.each(databaseScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a database that is %s',
    { timeout: 300_000 },
    async (_name, scenario, index) => {
      const undisturbed = await runHistory({ scenario, temper, faults: [], seed: 1 });
      expect(undisturbed.violations, undisturbed.text()).toEqual([]);
      for (const fault of sample(singleFaults(undisturbed.calls), every, index)) {
        const result = await runHistory({ scenario, temper, faults: [fault], seed: 1 });
        expect(result.violations, result.text()).toEqual([]);
      }
    },
  );
});
