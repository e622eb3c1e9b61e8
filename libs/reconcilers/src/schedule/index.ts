export { dueRun, latestStart } from './due.ts';
export type { Schedule } from './schedule.ts';
export { lastRun, nextRun, scheduleFault } from './schedule.ts';
