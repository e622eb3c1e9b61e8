import { expect, test } from 'vitest';
import { runSetHistory } from './set-history.ts';
import { setScenarios } from './set-scenarios.ts';

test('a member that is evicted within the second in which its node is given up may be reported as bypassed', async () => {
  const name = 'upgraded while other clients drain its nodes and one of them fails, deleted';
  const scenario = setScenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new TypeError(`there is no scenario ${name}`);
  const { violations, fired, text } = await runSetHistory({
    scenario,
    profile: 'honest',
    faults: [
      { kind: 'external', number: 71, when: 'after', effect: 'crash' },
      { kind: 'external', number: 128, when: 'before', effect: 'hang' },
    ],
    seed: 1631778011,
  });
  expect(fired).toHaveLength(2);
  expect(violations, text()).toEqual([]);
}, 60_000);
