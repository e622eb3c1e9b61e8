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

/** Waits until the API server reaches the webhooks: what a node knows of a Service follows the readiness of its pods by a moment. */
export async function untilWebhooksAnswer(kubernetes: Kubernetes): Promise<void> {
  await until('the webhooks answer', 30, async () => {
    const trouble = await troubleWithWebhooks(kubernetes);
    if (trouble !== '') throw new Error(trouble);
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
  const troubles: string[] = [];
  const ask = async (): Promise<number> => {
    let asked = 0;
    for (; !isOver; asked += 1) {
      const trouble = await troubleWithWebhooks(kubernetes).catch(String);
      if (trouble !== '') troubles.push(trouble);
      await sleep(100);
    }
    return asked;
  };
  const working = work().finally(() => (isOver = true));
  const [result, asked] = await Promise.all([working, ask()]);
  check(troubles.length === 0, `${troubles.length} of ${asked} questions had no answer: ${troubles[0] ?? ''}`);
  return { result, answers: asked };
}

/** Why the API server got no answer from the webhooks; empty where it got one. Nothing is written. */
async function troubleWithWebhooks(kubernetes: Kubernetes): Promise<string> {
  const store = JSON.stringify(senselessStore('default'));
  const message = await refusalOf(() => kubernetes.kubectl(['create', '--dry-run=server', '-f', '-'], store));
  return message.includes('denied the request') ? '' : message;
}
