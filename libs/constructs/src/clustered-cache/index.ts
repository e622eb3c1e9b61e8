export * from './children.ts';
export * from './job.ts';
export * from './pod-template.ts';
export * from './stateful-set.ts';
export * from './workload.ts';
