import type * as published from 'kubernetes-types/networking/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `NetworkPolicy`. */
export const networkPolicies: BuiltIn<published.NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  scope: 'Namespaced',
  shortNames: ['netpol'],
};
/** A network policy, as the server returns it. */
export type NetworkPolicy = ReadForm<typeof networkPolicies>;
/** A network policy, as it is written. */
export type NetworkPolicyInput = WriteForm<typeof networkPolicies>;

/** Descriptor of `Ingress`. */
export const ingresses: BuiltIn<published.Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  singular: 'ingress',
  scope: 'Namespaced',
  shortNames: ['ing'],
  subresources: { status: true },
};
/** An ingress, as the server returns it. */
export type Ingress = ReadForm<typeof ingresses>;
/** An ingress, as it is written. */
export type IngressInput = WriteForm<typeof ingresses>;
