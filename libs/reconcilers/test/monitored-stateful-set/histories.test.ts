import { describe, expect, test } from 'vitest';
import { lostCreation, sample, singleFaults } from '../external/histories.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';

/** Of how many single faults a test run tries one, at each kind of outside world. `npm run explore` tries all of them, and pairs. */
const every = { honest: 79, shifty: 83, tardy: 251 } as const;

describe.each(['honest', 'shifty', 'tardy'] as const)('at a monitor that is %s', (temper) => {
  test.each(setScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a set that is %s',
    { timeout: 300_000 },
    async (_name, scenario, index) => {
      const undisturbed = await runSetHistory({ scenario, temper, faults: [], seed: 1 });
      expect(undisturbed.violations, undisturbed.text()).toEqual([]);
      const sampled = sample(singleFaults(undisturbed.calls), every[temper], index);
      for (const fault of [...lostCreation(undisturbed), ...sampled]) {
        const result = await runSetHistory({ scenario, temper, faults: [fault], seed: 1 });
        expect(result.violations, result.text()).toEqual([]);
      }
    },
  );
});
