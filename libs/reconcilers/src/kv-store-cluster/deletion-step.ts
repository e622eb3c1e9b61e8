import type { CleanUpStep } from '../clean-up/index.ts';
import { stepOf } from '../clean-up/index.ts';

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

/** A step that does nothing but what is said. */
export const step = (reason: DeletionStep['reason'], message: string, more: Partial<DeletionStep> = {}): DeletionStep =>
  stepOf(reason, message, more);
