export * from './database.ts';
export * from './decide.ts';
export * from './metrics.ts';
export * from './observe.ts';
export * from './reconcile.ts';
export * from './spec.ts';
export * from './validate.ts';
export * from './webhook.ts';
