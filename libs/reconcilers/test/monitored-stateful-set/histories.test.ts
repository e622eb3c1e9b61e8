import { describe, test } from 'vitest';
import type { Fault } from '../external/fault.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
import { surviveSingleFaults } from '../external/survive.ts';

describe.each(['honest', 'shifty', 'tardy'] as const)('at a monitor that is %s', (temper) => {
  test.each(setScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a set that is %s',
    { timeout: 300_000 },
    async (_name, scenario, offset) => {
      const play = (faults: readonly Fault[]) => runSetHistory({ scenario, temper, faults, seed: 1 });
      await surviveSingleFaults(play, { temper, offset });
    },
  );
});
