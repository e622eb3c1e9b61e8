/** What is counted about clean-up; the operator turns it into `operator_finalizer_cleanup_*` and `operator_terminating_resources_total`. */
export interface CleanupMetrics {
  /** A clean-up has succeeded, so many seconds after its object was deleted. */
  finished(kind: string, seconds: number): void;
  /** A step of a clean-up has failed with an error of this code. */
  failed(kind: string, code: string): void;
  /** So many objects of the kind are being deleted and not gone yet. */
  terminating(kind: string, count: number): void;
}

/** Counts nothing. */
export const noCleanupMetrics: CleanupMetrics = {
  finished: () => undefined,
  failed: () => undefined,
  terminating: () => undefined,
};

/** Knows which objects of a kind are being deleted. For the gauge alone: nothing is decided by it. */
export class TerminatingGauge {
  private readonly kind: string;
  private readonly metrics: CleanupMetrics;
  private readonly keys = new Set<string>();

  constructor(kind: string, metrics: CleanupMetrics) {
    this.kind = kind;
    this.metrics = metrics;
  }

  /** The object at the key is being deleted, or is not (any more). */
  note(key: { readonly namespace: string; readonly name: string }, terminating: boolean): void {
    const text = `${key.namespace}/${key.name}`;
    if (this.keys.has(text) === terminating) return;
    if (terminating) this.keys.add(text);
    else this.keys.delete(text);
    this.metrics.terminating(this.kind, this.keys.size);
  }
}
