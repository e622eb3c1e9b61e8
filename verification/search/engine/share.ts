import {
  describeFault,
  describeReport,
  enumerateFaults,
  explore,
  generalInvariants,
  runHistory,
} from '@ordinal/explorer';
import type { HistoryOutcome, Invariant } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import type { Searched } from './searched.ts';
import { apart, inPairs } from './searched.ts';

/** How many histories of each scenario every test run has. */
export interface Share {
  readonly histories: number;
}

/** The history without faults, in which those of each class are enumerated: without its cluster, which takes megabytes. */
async function withoutFaults({ scenario }: Searched, oracles: readonly Invariant[]) {
  const { ground, lives } = await runHistory({ scenario, seed: 1, faults: [], oracles });
  return { ground, lives };
}

/**
 * The share of the search that every test run has; the whole search is a command of its own. `ORDINAL_EXPLORE_HISTORIES` makes it larger or smaller. The first
 * failure of a scenario ends its search.
 */
export function searchShare(searched: readonly Searched[], share: Share): void {
  const histories = Number(process.env['ORDINAL_EXPLORE_HISTORIES'] ?? share.histories);
  test.each(searched.map((one) => [one.scenario.name, one] as const))(
    '%s holds its invariants under every fault',
    async (_name, one) => {
      const report = await explore({ ...inPairs(one), seed: 1, budget: { histories, failures: 1 } });
      expect(report.failures, describeReport(report)).toEqual([]);
    },
    600_000,
  );
  const undisturbed = new Map<Searched, Promise<Pick<HistoryOutcome, 'ground' | 'lives'>>>();
  const classes = searched.flatMap((one) => apart(one).map((fault) => [one.scenario.name, fault, one] as const));
  test.each(classes)(
    '%s holds its invariants under %s faults',
    async (_name, fault, one) => {
      const { scenario, oracles: own, livesVary = [] } = one;
      const oracles = [...generalInvariants, ...own];
      const without = undisturbed.get(one) ?? withoutFaults(one, oracles);
      undisturbed.set(one, without);
      const { ground, lives } = await without;
      const compared = livesVary.includes(fault) ? {} : { reference: lives };
      const all = enumerateFaults(fault, ground);
      const every = Math.max(1, Math.floor((all.length * 4) / histories));
      const wrong: string[] = [];
      for (const struck of all.filter((_fault, index) => index % every === 0)) {
        const { violations } = await runHistory({ scenario, seed: 1, faults: [struck], oracles, ...compared });
        wrong.push(...violations.map(({ oracle, message }) => `${describeFault(struck)}: ${oracle}: ${message}`));
      }
      expect(wrong).toEqual([]);
    },
    600_000,
  );
}
