/** What is counted about clean-up; the operator turns it into `operator_finalizer_cleanup_*`. */
export interface CleanupMetrics {
  /** A clean-up has succeeded, so many seconds after its object was deleted. */
  finished(kind: string, seconds: number): void;
  /** A step of a clean-up has failed with an error of this code. */
  failed(kind: string, code: string): void;
}

/** Counts nothing. */
export const noCleanupMetrics: CleanupMetrics = {
  finished: () => undefined,
  failed: () => undefined,
};
