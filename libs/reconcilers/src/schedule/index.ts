export { dueRun } from './due.ts';
export type { Schedule } from './schedule.ts';
export { nextRun, scheduleFault } from './schedule.ts';
