import { describeFailure, failureReport, generalInvariants, runHistory } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { drained } from './drained-scenario.ts';

test('drains take one member at a time, and come to their end', async () => {
  const { scenario, oracles } = drained;
  const outcome = await runHistory({ scenario, oracles: [...generalInvariants, ...oracles], seed: 1, faults: [] });
  expect(outcome.violations.length === 0 ? '' : describeFailure(failureReport(outcome, scenario.name))).toBe('');
});
