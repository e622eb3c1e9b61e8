import { describe, expect, test } from 'vitest';
import type { Fault } from './fault.ts';
import { runSetHistory } from './set-history.ts';
import { setScenarios } from './set-scenarios.ts';
import { surviveSingleFaults } from './survive.ts';

describe.each(['honest', 'shifty', 'tardy'] as const)('at a monitor that is %s', (profile) => {
  test.each(setScenarios.map((scenario, index) => [scenario.name, scenario, index] as const))(
    'a set that is %s',
    { timeout: 300_000 },
    async (_name, scenario, offset) => {
      const play = (faults: readonly Fault[]) => runSetHistory({ scenario, profile, faults, seed: 1 });
      await surviveSingleFaults(play, { profile, offset });
    },
  );
});

test('a clock that is set back after a restore of etcd does not hold up a deletion', { timeout: 60_000 }, async () => {
  const scenario = setScenarios.find(({ name }) => name === 'changed and deleted below by another client, deleted');
  if (scenario === undefined) throw new TypeError('there is no such scenario');
  const restored = { kind: 'external', number: 4, when: 'after', effect: 'restore' } as const;
  const setBack = { kind: 'external', number: 71, when: 'after', effect: 'clock' } as const;
  const result = await runSetHistory({ scenario, profile: 'shifty', faults: [restored, setBack], seed: 1377335646 });
  expect(result.fired).toHaveLength(2);
  expect(result.violations, result.text()).toEqual([]);
});
