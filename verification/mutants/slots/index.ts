import type { Mutation } from '../mutation.ts';
import { leaseMutations } from './leases.ts';
import { planMutations } from './plan.ts';
import { workMutations } from './work.ts';

/** Mistakes in how replicas share the work in slots. */
export const slotMutations: readonly Mutation[] = [...leaseMutations, ...planMutations, ...workMutations];
