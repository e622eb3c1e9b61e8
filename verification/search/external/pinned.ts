import { expect } from 'vitest';
import type { HistoryPlan, HistoryResult } from './history.ts';

/** How a pinned history is played: everything but its scenario. */
type Played = Omit<HistoryPlan<never>, 'scenario'>;

/**
 * Plays histories that once broke an invariant, each by the name of its scenario: nothing may break now, and all faults have to strike, in their order. Where calls have shifted, they strike
 * elsewhere or not at all, and the history tests nothing.
 */
export function pinnedIn<Scenario extends { readonly name: string }>(
  scenarios: readonly Scenario[],
  run: (plan: HistoryPlan<Scenario>) => Promise<HistoryResult>,
): (name: string, how: Played) => Promise<void> {
  return async (name, how) => {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario === undefined) throw new TypeError(`there is no scenario ${name}`);
    const { violations, fired, text } = await run({ scenario, ...how });
    expect(fired.map(({ fault }) => fault)).toEqual(how.faults);
    expect(violations, text()).toEqual([]);
  };
}
