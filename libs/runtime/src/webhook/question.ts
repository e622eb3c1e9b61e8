import { conversionReply, readConversionReview } from './conversion-review.ts';
import type { ConversionWebhook } from './conversion.ts';
import { readReview } from './read-review.ts';
import { allow, deny, reviewReply } from './review.ts';
import type { Verdict } from './review.ts';
import type { Webhook } from './webhook.ts';

/** What a server serves. */
export type Served = Webhook | ConversionWebhook;

/** A request that was read, and what can be said to it. */
export interface Question {
  readonly answer: (signal: AbortSignal) => Promise<unknown>;
  /** The reply where there is no answer. */
  readonly undecided: (why: string) => unknown;
}

/** Reads a request to a webhook. Throws where it is none. */
export function questionOf(webhook: Served, body: Uint8Array): Question {
  if ('convert' in webhook) {
    const request = readConversionReview(body);
    return {
      answer: () => Promise.resolve(webhook.convert(request)),
      undecided: (why) => conversionReply(request.uid, { message: why }),
    };
  }
  const request = readReview(body);
  return {
    answer: (signal) => webhook.review(request, signal),
    undecided: (why) => reviewReply(request.uid, webhook.undecided?.(request, why) ?? byPolicy(webhook, why)),
  };
}

function byPolicy({ path, failurePolicy }: Webhook, why: string): Verdict {
  const message = `webhook ${path} could not judge this: ${why}`;
  return failurePolicy === 'Ignore' ? allow(message) : deny(message, { code: 503, reason: 'ServiceUnavailable' });
}
