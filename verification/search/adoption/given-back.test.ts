import { describeFailure, enumerateFaults, failureReport, generalInvariants, runHistory } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { givenBack } from './given-back.ts';
import { takers } from './takers.ts';

test.each(takers)(
  '$name: an operator that dies at any of its requests leaves what it takes over, and gives back',
  async (taker) => {
    const { scenario, oracles } = givenBack(taker);
    const all = { scenario, oracles: [...generalInvariants, ...oracles], seed: 1 };
    const calm = await runHistory({ ...all, faults: [] });
    const reported = (outcome: typeof calm) =>
      outcome.violations.length === 0 ? [] : [describeFailure(failureReport(outcome, scenario.name))];
    expect(reported(calm)).toEqual([]);
    const crashes = enumerateFaults('crash', calm.ground);
    // Before and after each request that changes anything.
    expect(crashes).toHaveLength(2 * (calm.ground.writes + calm.ground.externalCalls));
    const missed: string[] = [];
    for (const crash of crashes) {
      const outcome = await runHistory({ ...all, faults: [crash], reference: calm.lives });
      expect(reported(outcome)).toEqual([]);
      if (outcome.fired.length !== 1) missed.push(JSON.stringify(crash.at));
    }
    expect(missed).toEqual([]);
  },
  300_000,
);
