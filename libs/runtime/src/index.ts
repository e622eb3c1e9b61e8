export * from './result.ts';
export * from './reconciler.ts';
