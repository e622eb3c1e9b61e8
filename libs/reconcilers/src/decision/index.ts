export * from './action.ts';
export * from './condition.ts';
export * from './decision.ts';
export * from './drift.ts';
export * from './execute.ts';
export * from './failure.ts';
export * from './merge-patch.ts';
export * from './plan.ts';
