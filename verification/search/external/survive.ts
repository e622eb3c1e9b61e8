import { expect } from 'vitest';
import type { Fault } from './fault.ts';
import { lostCreation, sample, singleFaults } from './histories.ts';
import type { HistoryResult, profiles } from './history.ts';

/** How many single faults of a scenario a test run tries at each kind of outside world. The search (`explore.ts`) tries all of them, and pairs. */
const tried = { honest: 6, shifty: 6, tardy: 2 } as const;

/** Which faults of a scenario are tried: those of the sample of such an outside world that begins at this number. */
export interface Sampled {
  readonly profile: keyof typeof profiles;
  readonly offset: number;
}

/** Plays a history without faults, and then with one fault at a time: none may break anything. */
export async function surviveSingleFaults(
  play: (faults: readonly Fault[]) => Promise<HistoryResult>,
  { profile, offset }: Sampled,
): Promise<void> {
  const undisturbed = await play([]);
  expect(undisturbed.violations, undisturbed.text()).toEqual([]);
  const sampled = sample(singleFaults(undisturbed.calls), tried[profile], offset);
  for (const fault of [...lostCreation(undisturbed), ...sampled]) {
    const result = await play([fault]);
    expect(result.violations, result.text()).toEqual([]);
  }
}
