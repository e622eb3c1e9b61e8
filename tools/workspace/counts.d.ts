/** How many tests there were. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** How a task ended, as Nx says it; times in milliseconds. */
export interface TaskEnd {
  readonly status:
    'success' | 'failure' | 'skipped' | 'stopped' | 'local-cache' | 'local-cache-kept-existing' | 'remote-cache';
  readonly terminalOutput?: string;
  readonly task?: { readonly startTime?: number; readonly endTime?: number };
}

/** Adds up the closing lines of test runners. */
export declare function countTests(output: string): Counts;
/** What a task counts. */
export declare function countsOf(end: TaskEnd): Counts;
/** Why a task failed, as its runner said it, in at most 40 lines; nothing for one that did not. */
export declare function failuresOf(end: TaskEnd): string[];
/** Why the failed tasks failed, a line for each task, and the closing line. */
export declare function summaryOf(ends: Readonly<Record<string, TaskEnd>>): string;
