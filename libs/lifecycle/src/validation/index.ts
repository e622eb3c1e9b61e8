export * from './admit-spec.ts';
export * from './validation-error.ts';
