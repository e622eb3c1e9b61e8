export {
  decideOnError,
  failureEvent,
  isSilent,
  longestRetryMs,
  manageError,
  problemOf,
  reportAgainMs,
} from './error-management.ts';
export type { Blocked, FailedSubject, Fallible, ManagedError, Problem, ProcessingError } from './error-management.ts';
export { withLastingFailures } from './lasting-failure.ts';
export type { LastingFailure, LastingFailures } from './lasting-failure.ts';
