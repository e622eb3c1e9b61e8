export * from './clustered-cache/index.ts';
export * from './workload/index.ts';
