export { dueRun, latestStart } from './due.ts';
export type { Schedule } from './schedule.ts';
export { expectedRuns, lastRun, nextRun, scheduleFault } from './schedule.ts';
