export * from './cluster.ts';
export * from './job.ts';
export * from './scratch.ts';
export * from './stateful-set.ts';
export * from './workload.ts';
