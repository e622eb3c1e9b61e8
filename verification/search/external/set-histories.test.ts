import { describe, test } from 'vitest';
import type { Fault } from './fault.ts';
import { pinnedIn } from './pinned.ts';
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
  const restored = { kind: 'external', number: 4, when: 'after', effect: 'restore' } as const;
  const setBack = { kind: 'external', number: 71, when: 'after', effect: 'clock' } as const;
  const how = { profile: 'shifty', faults: [restored, setBack], seed: 1_377_335_646 } as const;
  await pinnedIn(setScenarios, runSetHistory)('changed and deleted below by another client, deleted', how);
});
