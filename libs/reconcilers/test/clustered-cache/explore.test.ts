import type { Fault } from '@ordinal/testing';
import {
  describeFault,
  describeReport,
  enumerateFaults,
  explore,
  generalInvariants,
  runHistory,
} from '@ordinal/testing';
import { expect, test } from 'vitest';
import { cacheScenarios, comparable } from './scenarios.ts';

/** The share of every test run; the whole search is a command of its own. */
const histories = Number(process.env['ORDINAL_EXPLORE_HISTORIES'] ?? 20);

test.each(cacheScenarios.map((searched) => [searched.scenario.name, searched] as const))(
  '%s holds its invariants under every fault',
  async (_name, searched) => {
    const report = await explore({ ...comparable(searched), seed: 1, budget: { histories } });
    expect(report.failures, describeReport(report)).toEqual([]);
  },
  600_000,
);

test.each(
  cacheScenarios.flatMap((searched) =>
    (searched.livesVary ?? []).map((fault) => [searched.scenario.name, fault, searched] as const),
  ),
)(
  '%s holds its invariants under %s faults, although lives vary',
  async (_name, fault, { scenario, oracles: own }) => {
    const oracles = [...generalInvariants, ...own];
    const { ground } = await runHistory({ scenario, seed: 1, faults: [], oracles });
    const all = enumerateFaults(fault, ground);
    const every = Math.max(1, Math.floor((all.length * 4) / histories));
    const wrong: string[] = [];
    for (const one of all.filter((_fault: Fault, index) => index % every === 0)) {
      const { violations } = await runHistory({ scenario, seed: 1, faults: [one], oracles });
      wrong.push(...violations.map(({ oracle, message }) => `${describeFault(one)}: ${oracle}: ${message}`));
    }
    expect(wrong).toEqual([]);
  },
  600_000,
);
