import type { Mutation } from '../mutation.ts';

const store = 'reconcilers/src/kv-store-cluster';

/** Mistakes by which the phase of a cluster denies its conditions. */
export const phaseKvMutations: readonly Mutation[] = [
  {
    name: 'a spec that makes no sense leaves the phase as it was, beside Degraded',
    file: `${store}/blocked.ts`,
    find: "...(trouble ? { phase: 'Failed' } : {}),",
    replace: '',
    breaks: 'phase and conditions agree',
  },
  {
    name: 'Ready does not wait for what the phase waits for',
    file: `${store}/status.ts`,
    find: "reported.phase === 'Ready',",
    replace: 'reported.complete,',
    breaks: 'phase and conditions agree',
  },
];
