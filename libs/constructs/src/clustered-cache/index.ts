export * from './children.ts';
export * from './pod-template.ts';
export * from './spec.ts';
export * from './stateful-set.ts';
export * from './workload.ts';
