import type { Clock } from '../clock.ts';
import { TransportError } from '../error.ts';

/** A bound on a call: its own time limit, and the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The failure itself, or, where the deadline or the caller ended the call, the failure that says so. */
  explain(failure: unknown): unknown;
  /** Milliseconds that are left. */
  remainingMs(): number;
  end(): void;
}

/** Starts a deadline on the clock; `end` must be called. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  caller: AbortSignal | undefined,
  what: string,
): Deadline {
  const controller = new AbortController();
  const startedAt = clock.now();
  let timedOut = false;
  const timer = Number.isFinite(timeoutMs)
    ? clock.after(timeoutMs, () => {
        timedOut = true;
        controller.abort(new TransportError('TimedOut', `${what}: no result within ${timeoutMs} ms`));
      })
    : undefined;
  const onAbort = (): void =>
    controller.abort(new TransportError('Aborted', `${what}: aborted by the caller`, { cause: caller?.reason }));
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    explain: (failure) => (timedOut || caller?.aborted ? controller.signal.reason : failure),
    remainingMs: () => (Number.isFinite(timeoutMs) ? timeoutMs - (clock.now() - startedAt) : Number.POSITIVE_INFINITY),
    end() {
      timer?.cancel();
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
