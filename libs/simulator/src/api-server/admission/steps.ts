import type { JsonObject } from '../request.ts';

/** A call of an admission webhook: where to, and the AdmissionReview to send. */
export interface WebhookCall {
  /** The webhook's name, as errors show it. */
  readonly webhook: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly caBundle?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly timeoutSeconds: number;
  readonly review: JsonObject;
}

/** What came back: the AdmissionReview, or why there is none. */
export type WebhookAnswer = { readonly review: JsonObject } | { readonly failed: string };

/** Calls webhooks. An answer that comes at once lets synchronous requests go on; one that is promised only those that can wait. */
export type WebhookCaller = (call: WebhookCall) => WebhookAnswer | Promise<WebhookAnswer>;

/** Work that has to ask webhooks on its way. */
export type Steps<T> = Generator<WebhookCall, T, WebhookAnswer>;

/** Does the work at once. A webhook that only promises its answer counts as failed. */
export function runNow<T>(steps: Steps<T>, caller: WebhookCaller): T {
  let step = steps.next();
  while (!step.done) {
    const answer = caller(step.value);
    step = steps.next(
      answer instanceof Promise
        ? { failed: 'the webhook does not answer synchronously: use begin() instead of execute()' }
        : answer,
    );
  }
  return step.value;
}

/** Does the work, waiting for webhooks. */
export async function run<T>(steps: Steps<T>, caller: WebhookCaller): Promise<T> {
  return runOn(steps, steps.next(), caller);
}

/** Does the work at once where every webhook answers at once; waits for those that promise their answer. */
export function runSoon<T>(steps: Steps<T>, caller: WebhookCaller): T | Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const answer = caller(step.value);
    if (answer instanceof Promise) return answer.then((given) => runOn(steps, steps.next(given), caller));
    step = steps.next(answer);
  }
  return step.value;
}

async function runOn<T>(steps: Steps<T>, from: IteratorResult<WebhookCall, T>, caller: WebhookCaller): Promise<T> {
  let step = from;
  while (!step.done) step = steps.next(await caller(step.value));
  return step.value;
}
