import type { Mutation } from './mutation.ts';

/** Mistakes in what distinguishes the operator's own statuses from those of others. Each has to be found by the tests of every kind. */
export const sealMutations: readonly Mutation[] = [
  {
    name: 'any seal holds',
    file: 'lifecycle/src/seal/sealed-statuses.ts',
    find: 'return sealerOf(seals, { descriptor, metadata }).holds(item, status.seal);',
    replace: 'return sealerOf(seals, { descriptor, metadata }) !== undefined;',
    breaks: 'issue 25: forged statuses',
  },
];
