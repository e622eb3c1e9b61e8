export * from './output.ts';
export * from './run.ts';
export * from './task.ts';
