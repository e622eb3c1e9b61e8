import { joinSignals } from '@ordinal/client';
import type { Clock } from '@ordinal/client';
import type { Answer, Check, PodAddress } from './check.ts';
import { answerOfExec, answerOfHttp, answerOfMetric, firstLine } from './interpret.ts';
import type { Probes } from './probes.ts';

/** How a pod is asked. */
export interface Asking {
  readonly probes: Probes;
  /** Ends the asking. */
  readonly signal: AbortSignal;
  /** Ends it too, when the check's time is over, whatever the probe does about that itself. */
  readonly clock?: Clock;
}

/** Asks one pod. Never rejects: that nobody answers in time is an answer, and it is no. */
export async function ask(check: Check, pod: PodAddress, how: Asking): Promise<Answer> {
  const over = new AbortController();
  const { signal, release } = joinSignals(how.signal, over.signal);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  late.catch(() => undefined); // Nobody waits for it when the answer came first.
  const timer = how.clock?.after(check.timeoutMs, () =>
    over.abort(new Error(`nothing within ${check.timeoutMs / 1000} s`)),
  );
  try {
    return await Promise.race([late, put(check, pod, { probes: how.probes, signal })]);
  } catch (cause) {
    const why = firstLine(cause instanceof Error ? cause.message : String(cause));
    return { ok: false, message: `no answer: ${why}`, silent: true };
  } finally {
    timer?.cancel();
    release();
  }
}

async function put(check: Check, pod: PodAddress, { probes, signal }: Asking): Promise<Answer> {
  const options = { timeoutMs: check.timeoutMs, signal };
  switch (check.kind) {
    case 'http':
      return answerOfHttp(await probes.http(pod, check.http, options));
    case 'exec':
      return answerOfExec(await probes.exec(pod, check.exec, options));
    case 'metric':
      return answerOfMetric(await probes.http(pod, check.metric.request, options), check.metric);
  }
}
