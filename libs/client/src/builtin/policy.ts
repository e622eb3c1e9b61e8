import type * as published from 'kubernetes-types/policy/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `PodDisruptionBudget`. */
export const podDisruptionBudgets: BuiltIn<published.PodDisruptionBudget, 'spec'> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  scope: 'Namespaced',
  shortNames: ['pdb'],
  subresources: { status: true },
};
/** A budget of voluntary disruptions, as the server returns it. */
export type PodDisruptionBudget = ReadForm<typeof podDisruptionBudgets>;
/** A budget of voluntary disruptions, as it is written. */
export type PodDisruptionBudgetInput = WriteForm<typeof podDisruptionBudgets>;
