import type { CleanUpStep } from '@ordinal/lifecycle';

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
