export * from './controller.ts';
export * from './decide.ts';
export { openGatesAnnotation, releaseMembers, retryAnnotation } from './names.ts';
export * from './observe.ts';
export * from './questions.ts';
export * from './reconcile.ts';
export * from './validate.ts';
