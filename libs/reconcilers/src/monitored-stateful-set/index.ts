export * from './decide.ts';
export * from './metrics.ts';
export * from './monitor.ts';
export * from './observe.ts';
export * from './reconcile.ts';
export * from './registration.ts';
export * from './spec.ts';
export * from './validate.ts';
