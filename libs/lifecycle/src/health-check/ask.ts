import { joinSignals, TransportError } from '@ordinal/client';
import type { Clock } from '@ordinal/client';
import type { Outside } from '@ordinal/runtime';
import { RuntimeError } from '@ordinal/runtime';
import type { Answer, Check, PodAddress } from './check.ts';
import { maxAnswerMs } from './check.ts';
import { answerOfExec, answerOfHttp, answerOfMetric, firstLine } from './interpret.ts';
import { MetricLines } from './metric-lines.ts';
import type { Probes } from './probes.ts';

/** How a pod is asked. */
export interface Asking {
  readonly probes: Probes;
  /** Where the question is put from: it waits there for a place, and its time begins when it has one. */
  readonly outside: Outside;
  /** Ends the asking. */
  readonly signal: AbortSignal;
  /** Ends it too, when the check's time is over, whatever the probe does about that itself. */
  readonly clock?: Clock;
}

/**
 * Asks one pod, for 60 s at most. Never rejects: no reply in time is an answer, and it is no. So is that there was no place to ask from.
 */
export async function ask(check: Check, pod: PodAddress, how: Asking): Promise<Answer> {
  const bounded = { ...check, timeoutMs: Math.min(check.timeoutMs, maxAnswerMs) };
  try {
    return await how.outside(() => answerInTime(bounded, pod, how));
  } catch (cause) {
    const why = firstLine(cause instanceof Error ? cause.message : String(cause));
    // Too long an answer is one: who gives it is there.
    if (cause instanceof TransportError && cause.code === 'ReplyTooLarge')
      return { ok: false, message: why, unusable: true };
    return cause instanceof RuntimeError && cause.code === 'NoPlace'
      ? { ok: false, message: `not asked yet: ${why}`, silent: true, unasked: true }
      : { ok: false, message: `no answer: ${why}`, silent: true };
  }
}

async function answerInTime(check: Check, pod: PodAddress, how: Asking): Promise<Answer> {
  const over = new AbortController();
  const { signal, release } = joinSignals(how.signal, over.signal);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  late.catch(() => undefined); // Nothing waits for it when the answer came first.
  const timer = how.clock?.after(check.timeoutMs, () =>
    over.abort(new Error(`nothing within ${check.timeoutMs / 1000} s`)),
  );
  try {
    return await Promise.race([late, put(check, pod, { probes: how.probes, signal })]);
  } finally {
    timer?.cancel();
    release();
  }
}

async function put(
  check: Check,
  pod: PodAddress,
  { probes, signal }: Pick<Asking, 'probes' | 'signal'>,
): Promise<Answer> {
  const options = { timeoutMs: check.timeoutMs, signal };
  switch (check.kind) {
    case 'http':
      return answerOfHttp(await probes.http(pod, check.http, options));
    case 'exec':
      return answerOfExec(await probes.exec(pod, check.exec, options));
    case 'metric': {
      const { metric } = check;
      const reader = (): MetricLines => new MetricLines(metric);
      return answerOfMetric(await probes.http(pod, metric.request, { ...options, reader }), metric);
    }
  }
}
