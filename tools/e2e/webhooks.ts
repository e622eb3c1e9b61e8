import { setTimeout as sleep } from 'node:timers/promises';
import { check, until, type Kubernetes } from './kubernetes.ts';

/** A store whose analysis asks no port: admission refuses it, and says so by the field's name. */
export const senselessStore = (namespace: string): object => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name: 'senseless', namespace },
  spec: {
    version: '8',
    replicas: 1,
    storage: { className: 'standard', size: '1Gi' },
    canary: { analysis: { http: { path: '/ok' } } },
  },
});

/** What the API server said against it. */
export async function refusalOf(action: () => Promise<unknown>): Promise<string> {
  const message = await action().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  check(message !== undefined, 'no webhook refused it');
  return message;
}

/** Waits until the API server reaches the webhooks: what a node knows of a Service follows the readiness of its pods a little later. */
export async function untilWebhooksAnswer(kubernetes: Kubernetes): Promise<void> {
  await until('the webhooks answer', 30, async () => {
    const problem = await webhookProblem(kubernetes);
    if (problem !== '') throw new Error(problem);
    return true;
  });
}

/**
 * Asks the webhooks again and again, through the API server, while the work is done. Returns what the work does, and how often it asked; throws where one
 * question had no answer, once the work is done.
 */
export async function whileWebhooksAnswer<T>(
  kubernetes: Kubernetes,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly answers: number }> {
  let isOver = false;
  const failures: string[] = [];
  const ask = async (): Promise<number> => {
    let asked = 0;
    for (; !isOver; asked += 1) {
      const problem = await webhookProblem(kubernetes).catch(String);
      if (problem !== '') failures.push(problem);
      await sleep(100);
    }
    return asked;
  };
  const working = work().finally(() => (isOver = true));
  const [result, asked] = await Promise.all([working, ask()]);
  check(failures.length === 0, `${failures.length} of ${asked} questions had no answer: ${failures[0] ?? ''}`);
  return { result, answers: asked };
}

/** Why the API server got no answer from the webhooks; empty where it got one. Nothing is written. */
async function webhookProblem(kubernetes: Kubernetes): Promise<string> {
  const store = JSON.stringify(senselessStore('default'));
  const message = await refusalOf(() => kubernetes.kubectl(['create', '--dry-run=server', '-f', '-'], store));
  return message.includes('denied the request') ? '' : message;
}
