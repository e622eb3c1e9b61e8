import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import type { WebhookCall } from '../api-server/index.ts';
import { webhookUrl } from '../cluster/webhooks.ts';
import { fencePlace } from './fence.ts';
import type { ReachableWebhook, WebhookRelay } from './webhook-relay.ts';
import { wholeReply } from './whole-reply.ts';

interface Webhook {
  readonly name?: string;
  readonly clientConfig?: WebhookCall['clientConfig'];
  readonly namespaceSelector?: { readonly matchExpressions?: readonly unknown[] };
}

/** A configuration as it is written, as far as the server may accept it. */
interface Configuration {
  readonly webhooks?: readonly Webhook[];
}

const configurations =
  /^\/apis\/admissionregistration\.k8s\.io\/v1\/(?:validating|mutating)webhookconfigurations(?:[/?]|$)/;
const label = 'attached.ordinal.dev/registration';
const notesName = 'registration.attached.ordinal.dev';
/** Where things are that are none of the world's. */
const outside = {
  key: 'kubernetes.io/metadata.name',
  operator: 'NotIn',
  values: [fencePlace.namespace, 'kube-node-lease'],
};
const patienceMs = 10_000;
const lookAgainMs = 5;

/**
 * A way to a real API server on which webhooks of the world are registered as in the simulation, by a URL or Service of its network, and the registration says where
 * it reaches them. The reply comes when the server asks them; in the simulation it does at once.
 *
 * A registration is written whole, by POST or PUT, and is read as the server has it: with other addresses, a `caBundle` of this way's own, and one webhook more.
 * After its deletion the server may ask for a time.
 */
export class WebhookTransport implements Transport {
  private readonly inner: Transport;
  private readonly relay: WebhookRelay;

  constructor(inner: Transport, relay: WebhookRelay) {
    this.inner = inner;
    this.relay = relay;
  }

  /** Sends a request. Rejects with a `TypeError` where it patches a configuration: what it would be then is known to the server alone. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const { method, path, body } = request;
    if (!configurations.test(path) || method === 'GET' || method === 'DELETE') return this.inner.send(request);
    if (method === 'PATCH' || body === undefined)
      throw new TypeError(
        `${path}: on a real control plane webhooks are registered by POST or PUT, with all that they are`,
      );
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    const registration = randomUUID();
    const configuration = await this.reachable(JSON.parse(text) as Configuration, registration); // What is no such thing the server refuses.
    const { reply } = await wholeReply(await this.inner.send({ ...request, body: JSON.stringify(configuration) }));
    if (reply.status < 300 && !/[?&]dryRun=All/.test(path)) await this.inEffect(registration, request.signal);
    return reply;
  }

  /** Opens a channel of messages. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return this.inner.connect(request);
  }

  /** As the inner one. */
  close(): Promise<void> {
    return this.inner.close();
  }

  private async reachable(configuration: Configuration, registration: string): Promise<Configuration> {
    const own = (configuration.webhooks ?? []).filter(({ name }) => name !== notesName);
    const webhooks = await Promise.all(own.map((webhook) => this.toRelay(webhook)));
    // First: who is refused by one is not asked about by the next.
    return {
      ...configuration,
      webhooks: [notesOf(registration, await this.relay.wayToNote(registration)), ...webhooks],
    };
  }

  private async toRelay(webhook: Webhook): Promise<Webhook> {
    const { clientConfig, namespaceSelector: { matchExpressions = [], ...selector } = {} } = webhook;
    const address = addressOf(clientConfig);
    const isNew = address !== undefined && !this.relay.isItsOwn(address);
    const isLimited = JSON.stringify(matchExpressions).includes(JSON.stringify(outside));
    return {
      ...webhook,
      ...(isNew && { clientConfig: await this.relay.wayTo(address) }),
      namespaceSelector: {
        ...selector,
        matchExpressions: isLimited ? matchExpressions : [...matchExpressions, outside],
      },
    };
  }

  /** The server takes notice of a configuration shortly after it has stored it, and of all that is in it at once. */
  private async inEffect(registration: string, signal: TransportRequest['signal']): Promise<void> {
    const { namespace } = fencePlace;
    const metadata = { namespace, name: `asked-${registration}`, labels: { [label]: registration } };
    const question: TransportRequest = {
      ...{ method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps?dryRun=All` },
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }),
      ...(signal && { signal }),
    };
    const deadline = performance.now() + patienceMs;
    while (!this.relay.isInEffect(registration)) {
      if (performance.now() > deadline)
        throw new Error(`the API server has asked no webhook of the registration within ${patienceMs / 1000} s`);
      const { body } = await this.inner.send(question);
      for await (const _ of body);
      await pause(lookAgainMs);
    }
  }
}

/** Where in the world a webhook is; undefined for what the server is to refuse itself. */
function addressOf(clientConfig: WebhookCall['clientConfig'] = {}): URL | undefined {
  const { url, service } = clientConfig;
  if ((url === undefined) === (service === undefined)) return undefined;
  if (url !== undefined && !URL.canParse(url)) return undefined;
  const address = webhookUrl(clientConfig);
  const hasMore = `${address.search}${address.hash}${address.username}${address.password}` !== '';
  return address.protocol === 'https:' && !hasMore ? address : undefined;
}

/** A webhook by which the server shows that the configuration is in effect: of an object that no other client creates. */
function notesOf(registration: string, clientConfig: ReachableWebhook): Webhook {
  const webhook = {
    ...{ name: notesName, clientConfig, failurePolicy: 'Ignore', sideEffects: 'None' },
    ...{ admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { [label]: registration } },
  };
  return webhook;
}
