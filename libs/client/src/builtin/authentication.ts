import type * as published from 'kubernetes-types/authentication/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `TokenReview`. */
export const tokenReviews: BuiltIn<published.TokenReview, 'spec'> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  singular: 'tokenreview',
  scope: 'Cluster',
};
/** “Whose token is this?”, as the server returns it. */
export type TokenReview = ReadForm<typeof tokenReviews>;
/** “Whose token is this?”, as it is written. */
export type TokenReviewInput = WriteForm<typeof tokenReviews>;
