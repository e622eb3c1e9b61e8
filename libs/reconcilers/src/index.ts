export * from './cloud-database/index.ts';
export * from './clustered-cache/index.ts';
export * from './kv-store-cluster/index.ts';
export * from './monitored-stateful-set/index.ts';
