import { describe, expect, test } from 'vitest';
import { sample, singleFaults } from '../external/histories.ts';
import { runSetHistory, setScenarios } from '../external/set-history.ts';

/** The share of all single faults that a test run tries. `npm run explore` tries all of them, and pairs. */
const every = 31;

describe.each(['honest', 'shifty'] as const)('at a monitor that is %s', (temper) => {
  test.each(setScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a set that is %s',
    { timeout: 300_000 },
    async (_name, scenario, index) => {
      const undisturbed = await runSetHistory({ scenario, temper, faults: [], seed: 1 });
      expect(undisturbed.violations, undisturbed.text()).toEqual([]);
      for (const fault of sample(singleFaults(undisturbed.calls), every, index)) {
        const result = await runSetHistory({ scenario, temper, faults: [fault], seed: 1 });
        expect(result.violations, result.text()).toEqual([]);
      }
    },
  );
});
