import type * as published from 'kubernetes-types/scheduling/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `PriorityClass`. */
export const priorityClasses: BuiltIn<published.PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  singular: 'priorityclass',
  scope: 'Cluster',
  shortNames: ['pc'],
};
/** A priority class, as the server returns it. */
export type PriorityClass = ReadForm<typeof priorityClasses>;
/** A priority class, as it is written. */
export type PriorityClassInput = WriteForm<typeof priorityClasses>;
