import { test } from 'vitest';
import { pinnedIn } from './pinned.ts';
import { runSetHistory } from './set-history.ts';
import { setScenarios } from './set-scenarios.ts';

test('an entry that the former URL of a service does not show for a while is not removed there, when the new one shows it', async () => {
  // The service shows nothing from the first look at the former URL on, and the operator pauses before it looks by the owner.
  const faults = [
    { kind: 'external', number: 4, when: 'before', effect: 'deny' },
    { kind: 'external', number: 5, when: 'before', effect: 'pause' },
  ] as const;
  const how = { profile: 'honest', faults, seed: 1_380_308_757 } as const;
  await pinnedIn(setScenarios, runSetHistory)('moved to another URL of its monitor and back, deleted', how);
});
