import type { Answer, Check, PodAddress } from './check.ts';
import { answerOfExec, answerOfHttp, answerOfMetric, firstLine } from './interpret.ts';
import type { Probes } from './probes.ts';

/** Asks one pod. Never rejects: that nobody answers is an answer, and it is no. */
export async function ask(
  check: Check,
  pod: PodAddress,
  how: { readonly probes: Probes; readonly signal: AbortSignal },
): Promise<Answer> {
  const options = { timeoutMs: check.timeoutMs, signal: how.signal };
  try {
    switch (check.kind) {
      case 'http':
        return answerOfHttp(await how.probes.http(pod, check.http, options));
      case 'exec':
        return answerOfExec(await how.probes.exec(pod, check.exec, options));
      case 'metric':
        return answerOfMetric(await how.probes.http(pod, check.metric.request, options), check.metric);
    }
  } catch (cause) {
    return { ok: false, message: `no answer: ${firstLine(cause instanceof Error ? cause.message : String(cause))}` };
  }
}
