import { ask, askAll } from '@ordinal/lifecycle';
import type { Answer, Asking, Check, PodAddress } from '@ordinal/lifecycle';

const check: Check = {
  kind: 'metric',
  timeoutMs: 2000,
  metric: {
    request: { path: '/metrics', port: 8080, scheme: 'HTTP', method: 'GET', via: 'PodIP' },
    name: 'replication_lag_seconds',
    labels: {},
    max: 5,
  },
};

/** Which of the peers say no, and why. No answer in time is a no. */
export async function refusals(peers: readonly PodAddress[], how: Asking): Promise<readonly Answer[]> {
  const answers = await askAll(peers, (pod) => ask(check, pod, how));
  return answers.filter(({ ok }) => !ok);
}
