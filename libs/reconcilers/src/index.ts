export * from './decision/index.ts';
export * from './external-resource/index.ts';
export * from './cloud-database/index.ts';
export * from './monitored-stateful-set/index.ts';
