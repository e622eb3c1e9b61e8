import type { CleanUpStep } from '../clean-up/index.ts';

/** One step of a deletion. */
export type DeletionStep = CleanUpStep<
  | 'BeforeDelete'
  | 'Backup'
  | 'FinalBackup'
  | 'Orphaning'
  | 'StoppingMembers'
  | 'DeletingJobs'
  | 'DeletingVolumes'
  | 'Released'
>;
