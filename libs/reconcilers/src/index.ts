export * from './cloud-database/index.ts';
export * from './clustered-cache/index.ts';
export * from './decision/index.ts';
export * from './error-management/index.ts';
export * from './external-resource/index.ts';
export * from './health-check/index.ts';
export * from './monitored-stateful-set/index.ts';
export * from './rollout/index.ts';
