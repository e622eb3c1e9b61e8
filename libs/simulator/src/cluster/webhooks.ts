import type { WebhookAnswer, WebhookCall, WebhookCaller } from '../api-server/index.ts';
import { normalReply } from '../node/network.ts';
import type { Network } from '../node/network.ts';
import type { SimulatedReply } from '../node/program.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

/**
 * Calls admission webhooks over the simulated network. An answer that is there at once counts for every request. One that takes time counts for requests
 * that came through a transport, and for deletions by the cluster's own controllers; to their other writes, and to those of kubelets, such a webhook has
 * failed. `outside` calls the webhooks of hosts that are no part of the network, with TLS; then a Service is trusted only by a configuration with certificates too.
 */
export function webhookCaller(network: Network, scheduler: Scheduler, outside?: WebhookCaller): WebhookCaller {
  return (call) => {
    const url = callUrl(call);
    if (url === undefined) return withoutUrl(call);
    const handler = network.handlerFor(url);
    if (handler === undefined && outside !== undefined && call.clientConfig.url !== undefined) return outside(call);
    if (handler === undefined) return { failed: `${posted(call, url)}: ${notFound(call, url)}` };
    const { service, caBundle } = call.clientConfig;
    if (outside !== undefined && service !== undefined && (caBundle ?? '') === '')
      return { failed: `${posted(call, url)}: ${untrusted}` };
    try {
      const request = {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call.review),
      };
      const reply = handler(request);
      return reply instanceof Promise ? inTime(reply, call, { url, scheduler }) : answerOf(reply);
    } catch (error) {
      return { failed: `${posted(call, url)}: ${messageOf(error)}` };
    }
  };
}

const untrusted = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** The request in the words of Go, which leaves no port of a Service out. */
const posted = ({ clientConfig: { service } }: WebhookCall, { href, hostname, pathname, search }: URL): string =>
  `Post "${service === undefined ? href : `https://${hostname}:${service.port ?? 443}${pathname}${search}`}"`;

/** The server looks its Services up itself, by no name. */
const notFound = ({ clientConfig: { service } }: WebhookCall, { hostname }: URL): string =>
  service === undefined ? `dial tcp: lookup ${hostname}: no such host` : `service "${service.name}" not found`;

/** Where a webhook is called; undefined where what its configuration names is no URL. */
export function callUrl({ clientConfig, timeoutSeconds }: WebhookCall): URL | undefined {
  if (clientConfig.service === undefined && !URL.canParse(clientConfig.url ?? '')) return undefined;
  const url = webhookUrl(clientConfig);
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  return url;
}

/** The answer of a webhook that has no URL. */
export const withoutUrl = ({ clientConfig: { url = '' } }: WebhookCall): WebhookAnswer => ({
  failed: `Post "${url}": unsupported protocol scheme ""`,
});

/** A webhook's URL. Throws a `TypeError` where it names neither a Service nor a URL. */
export function webhookUrl({ service, url }: WebhookCall['clientConfig']): URL {
  return service === undefined
    ? new URL(url ?? '')
    : new URL(service.path ?? '/', `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}`);
}

function inTime(
  reply: Promise<SimulatedReply>,
  call: WebhookCall,
  { url, scheduler }: { readonly url: URL; readonly scheduler: Scheduler },
): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    const failed = (why: string): void => resolve({ failed: `${posted(call, url)}: ${why}` });
    const timer = scheduler.schedule(call.timeoutSeconds * 1000, 'webhook timeout', () =>
      failed('context deadline exceeded'),
    );
    reply.then(
      (settled) => {
        timer.cancel();
        resolve(answerOf(settled));
      },
      (error: unknown) => {
        timer.cancel();
        failed(messageOf(error));
      },
    );
  });
}

function answerOf(reply: SimulatedReply): WebhookAnswer {
  const { status, body } = normalReply(reply);
  if (status !== 200) return { failed: `the server answered with status ${status}` };
  try {
    const review: unknown = JSON.parse(body);
    // What a webhook answers is checked where it is read.
    if (typeof review === 'object' && review !== null) return { review: review as Record<string, unknown> };
  } catch {
    // Falls through to the same answer as any other malformed body.
  }
  return { failed: 'the answer is no AdmissionReview' };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
