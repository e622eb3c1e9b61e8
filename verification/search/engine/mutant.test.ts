import { expect, test } from 'vitest';
import type { Mutant } from './mutant.ts';
import { call, failuresWith, unmocksAfterEach } from './mutant.ts';

type Names = 'upgrade';

const next = '../../../libs/lifecycle/src/rollout/next.ts';
const upgrade = { bug: 'a bug that is not put back', scenario: 'upgrade' } as const;

const unfit: readonly (readonly [what: string, mutant: Mutant<Names>, message: string])[] = [
  [
    'of a module that is not there',
    { ...upgrade, module: '../../../lifecycle/src/rollout/nextt.ts', change: () => ({}) },
    'there is no module',
  ],
  [
    'of a module that the scenario does not load',
    { ...upgrade, module: '../../../libs/reconcilers/src/kv-store-cluster/upgrade.ts', change: () => ({}) },
    'does not load',
  ],
  [
    'that replaces what the module does not export',
    { ...upgrade, module: next, change: () => ({ takeNextDownn: () => undefined }) },
    'does not export takeNextDownn',
  ],
  [
    'that calls what the module does not export',
    {
      ...upgrade,
      module: next,
      change: (original) => ({ takeNextDown: (...args: unknown[]) => call(original, 'takeDown', ...args) }),
    },
    'does not export takeDown',
  ],
];

unmocksAfterEach(unfit.map(([, mutant]) => mutant));

test.each(unfit)('a mutant %s is refused: it would change nothing in silence', async (_, mutant, message) => {
  const search = { histories: 1, load: () => import('../clustered-cache/scenarios.ts') };
  await expect(failuresWith(mutant, search)).rejects.toThrow(message);
});
