import { expect, test } from 'vitest';
import type { CleanUpRule } from './index.ts';
import { cleanUpStep, firstStep } from './index.ts';

type Seen = readonly string[];
const gone =
  (what: string): CleanUpRule<Seen, string> =>
  (left) =>
    left.includes(what) ? cleanUpStep(what, `waiting until the ${what} is gone`) : undefined;

test('the first step that is not over comes next, also where one before it is there again', () => {
  const rules = [gone('workload'), gone('volume')];
  expect(firstStep(rules, ['volume', 'workload'], 0)?.reason).toBe('workload');
  expect(firstStep(rules, ['volume'], 0)?.reason).toBe('volume');
  expect(firstStep(rules, [], 0)).toBeUndefined();
});

test('what comes after is not asked before', () => {
  const never: CleanUpRule<Seen, string> = () => expect.unreachable('it is not its turn');
  expect(firstStep([gone('workload'), never], ['workload'], 0)?.reason).toBe('workload');
});
