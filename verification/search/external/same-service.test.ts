import { expect, test } from 'vitest';
import { runSetHistory } from './set-history.ts';
import { setScenarios } from './set-scenarios.ts';

test('an entry that the former URL of a service does not show for a while is not removed there, when the new one shows it', async () => {
  const scenario = setScenarios.find(({ name }) => name === 'moved to another URL of its monitor and back, deleted');
  if (scenario === undefined) throw new Error('the scenario is gone');
  // The service shows nothing from the first look at the former URL on, and the operator pauses before it looks by the owner.
  const faults = [
    { kind: 'external', number: 4, when: 'before', effect: 'deny' },
    { kind: 'external', number: 5, when: 'before', effect: 'pause' },
  ] as const;
  const { violations, fired } = await runSetHistory({ scenario, profile: 'honest', faults, seed: 1380308757 });
  expect(fired.map(({ fault }) => fault)).toEqual(faults);
  expect(violations).toEqual([]);
});
