import { expect, test } from 'vitest';
import { Ledger } from './ledger.ts';
import type { Share } from './ledger.ts';

const share = (part: number, trials: Share['trials'], failures: Share['failures'] = []): Share => ({
  task: { searchScenario: 0, round: 0, part },
  kind: 'cache',
  searchScenario: 'an upgrade',
  trials,
  failures,
});

const met = [{ group: 'cache crash', at: 'x' }];

test('a history counts when all its faults struck and nothing like it was seen before', () => {
  const ledger = new Ledger();
  ledger.take(
    share(0, [
      { allFired: true, trace: 'a', met },
      { allFired: true, trace: 'a', met },
      { allFired: false, trace: 'b', met: [] },
      { allFired: true, trace: 'b', met },
    ]),
  );
  expect(ledger).toMatchObject({ run: 4, distinct: 2 });
  expect(ledger.summary()).toMatchObject({ faults: { 'cache crash': { struck: 3, statesAndPoints: 1 } } });
});

test('a share that was taken in is known', () => {
  const ledger = new Ledger();
  ledger.take(share(3, []));
  expect(ledger.has({ searchScenario: 0, round: 0, part: 3 })).toBe(true);
  expect(ledger.has({ searchScenario: 0, round: 0, part: 4 })).toBe(false);
});

test('failures with the same oracle in the same scenario are one', () => {
  const ledger = new Ledger();
  const failure = { oracle: 'I4', text: 'two pods down' };
  expect(ledger.take(share(0, [], [failure, failure]))).toEqual([failure]);
  expect(ledger.take(share(1, [], [failure]))).toEqual([]);
});
