import { expect } from 'vitest';
import type { Fault } from './fault.ts';
import { lostCreation, sample, singleFaults } from './histories.ts';
import type { HistoryResult, profiles } from './history.ts';

/** Of how many single faults a test run tries one, at each kind of outside world. `npm run explore` tries all of them, and pairs. */
const every = { honest: 158, shifty: 166, tardy: 502 } as const;

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
  const sampled = sample(singleFaults(undisturbed.calls), every[profile], offset);
  for (const fault of [...lostCreation(undisturbed), ...sampled]) {
    const result = await play([fault]);
    expect(result.violations, result.text()).toEqual([]);
  }
}
