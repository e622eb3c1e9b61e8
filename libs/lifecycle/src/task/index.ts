export type { SeenJobs } from './exclusive.ts';
export { endObsolete, exclusiveAtWork, inTurn } from './exclusive.ts';
export type { OutputOf } from './last-output.ts';
export { causeOfJob, lastOutput, withCauseOfJob } from './last-output.ts';
export { boundedOutput, causeOfFailure, lastLine } from './output.ts';
export * from './run.ts';
export * from './task.ts';
