import type * as published from 'kubernetes-types/apiextensions/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `CustomResourceDefinition`. */
export const customResourceDefinitions: BuiltIn<published.CustomResourceDefinition, 'spec'> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  scope: 'Cluster',
  shortNames: ['crd', 'crds'],
  subresources: { status: true },
};
/** The definition of a custom kind, as the server returns it. */
export type CustomResourceDefinition = ReadForm<typeof customResourceDefinitions>;
/** The definition of a custom kind, as it is written. */
export type CustomResourceDefinitionInput = WriteForm<typeof customResourceDefinitions>;
