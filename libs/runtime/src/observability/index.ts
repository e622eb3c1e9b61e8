export * from './json-logger.ts';
export * from './manager-metrics.ts';
export * from './probe-server.ts';
export * from './prometheus.ts';
