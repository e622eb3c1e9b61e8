/** How a reconcile ended. Made by `awaitChange` and `requeueAfter`, which say what is meant. */
export interface Result {
  /** When the key is to be reconciled again although nothing wakes it, in milliseconds from now. Absent: only when something changes. */
  readonly requeueAfterMs?: number;
}

/** Nothing left to do until something changes. */
export function awaitChange(): Result {
  return {};
}

/**
 * Look again after `delayMs` milliseconds, or earlier when something changes. `0` is at once; a key that asks for that several times in a row is looked at
 * after pauses that double from one millisecond to one second, so that it starves no other key.
 */
export function requeueAfter(delayMs: number): Result {
  return { requeueAfterMs: delayMs };
}
