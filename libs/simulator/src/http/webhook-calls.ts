import { request } from 'node:https';
import type { WebhookAnswer, WebhookCall, WebhookCaller } from '../api-server/index.ts';
import { callUrl, withoutUrl } from '../cluster/webhooks.ts';

/**
 * Calls admission webhooks over the real network, with TLS: for clusters that keep to the wall clock, and operators that run outside of them. Only webhooks
 * with a `url` can be reached; Services are part of the simulation.
 */
export const httpsWebhooks: WebhookCaller = (call) => {
  if (call.clientConfig.url === undefined)
    return { failed: 'only webhooks with a url are outside of the simulated cluster' };
  const target = callUrl(call);
  if (target === undefined) return withoutUrl(call);
  return post(target, call).then(
    (reply) => answerOf(reply),
    (error: unknown) => ({ failed: `Post "${target.href}": ${problemOf(error, target)}` }),
  );
};

interface Reply {
  readonly status: number;
  readonly text: string;
}

function post(url: URL, { clientConfig, review, timeoutSeconds }: WebhookCall): Promise<Reply> {
  const { caBundle } = clientConfig;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
        ...(caBundle !== undefined && { ca: Buffer.from(caBundle, 'base64') }),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(review));
  });
}

function answerOf({ status, text }: Reply): WebhookAnswer {
  if (status < 200 || status > 299)
    return {
      failed:
        status >= 500
          ? `an error on the server ("unknown") has prevented the request from succeeding`
          : `the server responded with the status code ${status} but did not return more information`,
    };
  try {
    const review: unknown = JSON.parse(text);
    // What a webhook answers is checked where it is read.
    if (typeof review === 'object' && review !== null) return { review: review as Record<string, unknown> };
  } catch {
    // Falls through to the same answer as any other body that is no object.
  }
  return { failed: 'the answer is no AdmissionReview' };
}

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What went wrong, in the words of the API server. */
function problemOf(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return `dial tcp ${url.host}: connect: connection refused`;
  if (code !== undefined && untrusted.has(code))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return error.message;
}
