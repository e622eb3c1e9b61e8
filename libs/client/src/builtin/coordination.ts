import type * as published from 'kubernetes-types/coordination/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `Lease`. */
export const leases: BuiltIn<published.Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  scope: 'Namespaced',
};
/** A lease, as leaders hold one, as the server returns it. */
export type Lease = ReadForm<typeof leases>;
/** A lease, as leaders hold one, as it is written. */
export type LeaseInput = WriteForm<typeof leases>;
