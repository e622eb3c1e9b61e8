export * from './cleanup-job.ts';
export * from './job.ts';
export * from './stateful-set.ts';
