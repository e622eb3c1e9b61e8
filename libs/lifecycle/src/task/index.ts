export { boundedOutput, lastLine } from './output.ts';
export * from './run.ts';
export * from './task.ts';
