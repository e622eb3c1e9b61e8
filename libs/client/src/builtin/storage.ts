import type * as published from 'kubernetes-types/storage/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `StorageClass`. */
export const storageClasses: BuiltIn<published.StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  singular: 'storageclass',
  scope: 'Cluster',
  shortNames: ['sc'],
};
/** A storage class, as the server returns it. */
export type StorageClass = ReadForm<typeof storageClasses>;
/** A storage class, as it is written. */
export type StorageClassInput = WriteForm<typeof storageClasses>;
