export * from './ask.ts';
export * from './ask-all.ts';
export * from './check.ts';
export * from './interpret.ts';
export * from './job-gate.ts';
export * from './metric-lines.ts';
export * from './metric-text.ts';
export * from './probes.ts';
