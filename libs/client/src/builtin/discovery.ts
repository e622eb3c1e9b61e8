import type * as published from 'kubernetes-types/discovery/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `EndpointSlice`. */
export const endpointSlices: BuiltIn<published.EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  singular: 'endpointslice',
  scope: 'Namespaced',
};
/** A slice of a service's endpoints, as the server returns it. */
export type EndpointSlice = ReadForm<typeof endpointSlices>;
/** A slice of a service's endpoints, as it is written. */
export type EndpointSliceInput = WriteForm<typeof endpointSlices>;
