import { describeFailure, failureReport, generalInvariants, runHistory } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { drained } from './drained-scenario.ts';

test('drains take one member at a time, and come to their end', async () => {
  const { scenario, oracles } = drained;
  const outcome = await runHistory({ scenario, oracles: [...generalInvariants, ...oracles], seed: 1, faults: [] });
  expect(outcome.violations.length === 0 ? '' : describeFailure(failureReport(outcome, scenario.name))).toBe('');
});

test('what reserves a member once more is no needless write, also where the operator crashes meanwhile', async () => {
  const { scenario, oracles } = drained;
  const faults = [{ fault: 'crash', at: { when: 'before', write: 11 } }] as const;
  const outcome = await runHistory({ scenario, oracles: [...generalInvariants, ...oracles], seed: 2701, faults });
  expect(outcome.violations.length === 0 ? '' : describeFailure(failureReport(outcome, scenario.name))).toBe('');
});
