import { describeReport, explore } from '@ordinal/testing';
import { expect, test } from 'vitest';
import { kvStoreScenarios } from './scenarios.ts';

/** The share of every test run; the whole search is a command of its own. */
const histories = Number(process.env['ORDINAL_EXPLORE_HISTORIES'] ?? 25);

test.each(kvStoreScenarios.map((searched) => [searched.scenario.name, searched] as const))(
  '%s holds its invariants under every fault',
  async (_name, searched) => {
    const { scenario, oracles, faults, livesVary = [] } = searched;
    // Lives are compared here; the whole search has the other faults too.
    const compared = faults.filter((name) => !livesVary.includes(name));
    const report = await explore({ scenario, oracles, faults: compared, seed: 1, budget: { histories } });
    expect(report.failures, describeReport(report)).toEqual([]);
  },
  600_000,
);
