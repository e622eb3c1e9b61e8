/** Validation and defaults of the four kinds, as the API server does them. Importing this loads the CEL engine. */
export * from './generated/cache.my.domain/v1/validators.ts';
export * from './generated/db.example.com/v1/validators.ts';
export * from './generated/kvstore.example.com/v1/validators.ts';
export * from './generated/statefulsets.example.com/v1alpha1/validators.ts';
export { KindValidator } from './generated/kubernetes-validator.ts';
export type { Defaulted, ValidatedKind } from './generated/kubernetes-validator.ts';
