export type { SeenJobs } from './exclusive.ts';
export { endObsolete, exclusiveAtWork, inTurn } from './exclusive.ts';
export type { OutputsWanted } from './last-output.ts';
export { causeOfJob, outputsOf, withCauseOfJob } from './last-output.ts';
export { boundedOutput, causeOfFailure, lastLine, redactedText } from './output.ts';
export * from './run.ts';
export * from './task.ts';
