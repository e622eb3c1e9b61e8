export { dueRun, latestStart } from './due.ts';
export type { Schedule } from './schedule.ts';
export {
  compactTime,
  expectedRuns,
  lastRun,
  longestLookMs,
  nextRun,
  scheduleOf,
  validateSchedule,
} from './schedule.ts';
