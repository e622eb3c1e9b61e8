import type * as published from 'kubernetes-types/admissionregistration/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `ValidatingWebhookConfiguration`. */
export const validatingWebhookConfigurations: BuiltIn<published.ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  singular: 'validatingwebhookconfiguration',
  scope: 'Cluster',
};
/** A registration of validating webhooks, as the server returns it. */
export type ValidatingWebhookConfiguration = ReadForm<typeof validatingWebhookConfigurations>;
/** A registration of validating webhooks, as it is written. */
export type ValidatingWebhookConfigurationInput = WriteForm<typeof validatingWebhookConfigurations>;

/** Descriptor of `MutatingWebhookConfiguration`. */
export const mutatingWebhookConfigurations: BuiltIn<published.MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  singular: 'mutatingwebhookconfiguration',
  scope: 'Cluster',
};
/** A registration of mutating webhooks, as the server returns it. */
export type MutatingWebhookConfiguration = ReadForm<typeof mutatingWebhookConfigurations>;
/** A registration of mutating webhooks, as it is written. */
export type MutatingWebhookConfigurationInput = WriteForm<typeof mutatingWebhookConfigurations>;
