import { describeReport, explore } from '@ordinal/testing';
import { expect, test } from 'vitest';
import { kvStoreScenarios } from './scenarios.ts';

/** The share of every test run; the whole search is a command of its own. */
const histories = Number(process.env['ORDINAL_EXPLORE_HISTORIES'] ?? 25);

test.each(kvStoreScenarios.map((searched) => [searched.scenario.name, searched] as const))(
  '%s holds its invariants under every fault',
  async (_name, searched) => {
    const report = await explore({ ...searched, seed: 1, budget: { histories } });
    expect(report.failures, describeReport(report)).toEqual([]);
  },
  600_000,
);
