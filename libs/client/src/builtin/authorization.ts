import type * as published from 'kubernetes-types/authorization/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `SubjectAccessReview`. */
export const subjectAccessReviews: BuiltIn<published.SubjectAccessReview, 'spec'> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  singular: 'subjectaccessreview',
  scope: 'Cluster',
};
/** “May this user do this?”, as the server returns it. */
export type SubjectAccessReview = ReadForm<typeof subjectAccessReviews>;
/** “May this user do this?”, as it is written. */
export type SubjectAccessReviewInput = WriteForm<typeof subjectAccessReviews>;

/** Descriptor of `SelfSubjectAccessReview`. */
export const selfSubjectAccessReviews: BuiltIn<published.SelfSubjectAccessReview, 'spec'> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  singular: 'selfsubjectaccessreview',
  scope: 'Cluster',
};
/** “May I do this?”, as the server returns it. */
export type SelfSubjectAccessReview = ReadForm<typeof selfSubjectAccessReviews>;
/** “May I do this?”, as it is written. */
export type SelfSubjectAccessReviewInput = WriteForm<typeof selfSubjectAccessReviews>;

/** Descriptor of `LocalSubjectAccessReview`. */
export const localSubjectAccessReviews: BuiltIn<published.LocalSubjectAccessReview, 'spec'> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  singular: 'localsubjectaccessreview',
  scope: 'Namespaced',
};
/** “May this user do this in this namespace?”, as the server returns it. */
export type LocalSubjectAccessReview = ReadForm<typeof localSubjectAccessReviews>;
/** “May this user do this in this namespace?”, as it is written. */
export type LocalSubjectAccessReviewInput = WriteForm<typeof localSubjectAccessReviews>;
