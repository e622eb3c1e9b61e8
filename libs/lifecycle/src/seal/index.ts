export type { SealKey } from './seal.ts';
export type { Sealer, Seals } from './seals.ts';
export { isSealed, SealedStatuses } from './sealed-statuses.ts';
export type { Memory } from './sealed-statuses.ts';
export { SealedJobs } from './sealed-jobs.ts';
export type { JobMarks, OwnJobs } from './sealed-jobs.ts';
