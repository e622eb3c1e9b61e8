export * from './ask.ts';
export * from './ask-all.ts';
export type { Answer, Check, ExecCheck, HttpCheck, MetricCheck, PodAddress } from './check.ts';
export * from './probes.ts';
