export * from './duration.ts';
export * from './disruption-budget.ts';
export * from './headless-service.ts';
export * from './labels.ts';
export * from './overlay.ts';
export * from './owner.ts';
export * from './synthesize.ts';
export * from './template-hash.ts';
