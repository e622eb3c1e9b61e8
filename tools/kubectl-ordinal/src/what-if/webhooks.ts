import type {
  Client,
  EndpointSlice,
  Instant,
  KubernetesObject,
  MutatingWebhookConfiguration,
  Service,
  ValidatingWebhookConfiguration,
} from '@ordinal/client';
import {
  endpointSlices,
  events,
  instantOf,
  isApiError,
  mutatingWebhookConfigurations,
  services,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { lastSeen } from '../cluster/surroundings.ts';
import type { Behaviour } from './behaviour.ts';
import { ofKind } from './of-kind.ts';

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = NonNullable<Configuration['webhooks']>[number];

/** A Service that webhooks are reached by, as far as it could be read. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** `unread`: you may not read it. */
  readonly found: Service | 'absent' | 'unread';
  readonly isReady: boolean;
}

/** A webhook without which nothing of its kinds is written, and whether it answers. */
export interface KnownWebhook {
  readonly configuration: Configuration;
  readonly webhook: Webhook;
  /** Why it counts as one that does not answer; undefined where it counts as one that allows all. */
  readonly down?: string | undefined;
  /** How a call of it fails, in the API server's words, where they are known. */
  readonly words?: string | undefined;
  /** Its Service, where that is there. */
  readonly service?: Service | undefined;
}

/** How long an event counts, in milliseconds: controllers repeat theirs at least this often. */
const eventsCountMs = 30 * 60_000;

/** A webhook that may fail without the request failing changes nothing here. */
const holdsUp = ({ failurePolicy = 'Fail' }: Webhook): boolean => failurePolicy === 'Fail';

const serviceOf = ({ clientConfig }: Webhook): { readonly namespace: string; readonly name: string } | undefined =>
  clientConfig.service;

/** All webhooks that hold up what they do not answer for. */
function* webhooksIn(
  objects: readonly KubernetesObject[],
): Generator<{ readonly configuration: Configuration; readonly webhook: Webhook }> {
  const configurations: readonly Configuration[] = [
    ...ofKind(validatingWebhookConfigurations, objects),
    ...ofKind(mutatingWebhookConfigurations, objects),
  ];
  for (const configuration of configurations)
    for (const webhook of configuration.webhooks ?? []) if (holdsUp(webhook)) yield { configuration, webhook };
}

const isServing = ({ endpoints }: EndpointSlice): boolean =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);

async function readService(client: Client, place: { readonly namespace: string; readonly name: string }) {
  const labelSelector = `kubernetes.io/service-name=${place.name}`;
  try {
    const found = await client(services).namespace(place.namespace).find(place.name);
    if (found === undefined) return { ...place, found: 'absent', isReady: false } as const;
    // Where that leads, there are no endpoints.
    if (found.spec.type === 'ExternalName') return { ...place, found, isReady: true };
    const slices = await client(endpointSlices).namespace(place.namespace).list({ labelSelector });
    return { ...place, found, isReady: slices.items.some(isServing) };
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return { ...place, found: 'unread', isReady: true } as const;
    throw error;
  }
}

/** Reads the Services by which the webhooks among these objects are reached, each once. By GET requests alone. */
export async function webhookServices(
  client: Client,
  objects: readonly KubernetesObject[],
): Promise<readonly WebhookService[]> {
  const places = new Map(
    [...webhooksIn(objects)].flatMap(({ webhook }) => {
      const place = serviceOf(webhook);
      return place ? [[`${place.namespace}/${place.name}`, place] as const] : [];
    }),
  );
  return Promise.all([...places.values()].map(({ namespace, name }) => readService(client, { namespace, name })));
}

/** What has been said of a webhook that did not answer: an event, or the status of a resource. The newest goes first. */
function lastFailure(name: string, objects: readonly KubernetesObject[], at: Instant) {
  const call = `failed calling webhook "${name}": `;
  const said = [
    ...ofKind(events, objects).map((event) => ({ text: event.note ?? '', since: lastSeen(event), by: 'an event' })),
    ...objects.flatMap(({ kind, metadata, ...rest }) => {
      const { message, since } = (rest as Failing).status?.processingError ?? {};
      return message === undefined || since === undefined
        ? []
        : [{ text: message, since, by: `${kind} ${metadata.name}` }];
    }),
  ];
  const [newest] = said
    .filter(
      ({ text, since, by }) =>
        text.includes(call) && (by !== 'an event' || at - (instantOf(since) ?? 0) < eventsCountMs),
    )
    .toSorted((one, other) => (instantOf(other.since) ?? 0) - (instantOf(one.since) ?? 0));
  return newest && { ...newest, words: / Post "[^"]*": (.*)$/.exec(newest.text.split(call)[1] ?? '')?.[1] };
}

interface Failing {
  readonly status?: { readonly processingError?: { readonly message: string; readonly since: string } };
}

/** Whether each webhook answers: as the user says, as its Service shows, as events and statuses have said last. What is reached by a URL is not asked. Pure. */
export function knownWebhooks(
  objects: readonly KubernetesObject[],
  reached: readonly WebhookService[],
  { at, behaviour }: { readonly at: Instant; readonly behaviour: Behaviour },
): readonly KnownWebhook[] {
  return [...webhooksIn(objects)].map(({ configuration, webhook }) => {
    const place = serviceOf(webhook);
    const service = reached.find(({ namespace, name }) => namespace === place?.namespace && name === place.name);
    const found = typeof service?.found === 'object' ? service.found : undefined;
    const known = { configuration, webhook, service: found };
    const said = behaviour.webhooks[webhook.name] ?? behaviour.webhooks['*'];
    if (said !== undefined) return said === 'answers' ? known : { ...known, down: '--members-behave says so' };
    const where = `Service ${service?.namespace ?? ''}/${service?.name ?? ''}`;
    if (service?.found === 'absent') return { ...known, down: `there is no ${where}` };
    if (found && service && !service.isReady) return { ...known, down: `${where} has no endpoint that is ready` };
    const failure = lastFailure(webhook.name, objects, at);
    return failure ? { ...known, down: `${failure.by} of ${failure.since} says so`, words: failure.words } : known;
  });
}

/** The configurations of those that do not answer, with nothing else in them, and their Services: what a simulated cluster begins with. Pure. */
export function downWebhooks(webhooks: readonly KnownWebhook[]): readonly KubernetesObject[] {
  const down = webhooks.filter((each) => each.down !== undefined);
  const configurations = new Set(down.map(({ configuration }) => configuration));
  return [
    ...[...configurations].map((configuration) => ({
      ...configuration,
      webhooks: down.filter((each) => each.configuration === configuration).map(({ webhook }) => webhook),
    })),
    ...new Set(down.flatMap(({ service }) => service ?? [])),
  ];
}

/** Has those fail that do not answer, in the words that were read. */
export function playWebhooks(cluster: TestCluster, webhooks: readonly KnownWebhook[]): void {
  for (const { down, words, webhook } of webhooks) {
    const { url, service } = webhook.clientConfig;
    if (down === undefined || words === undefined) continue;
    const origin = service ? `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}` : url;
    if (origin !== undefined && URL.canParse(origin))
      cluster.external(origin, () => {
        throw new Error(words);
      });
  }
}

/** What a prediction rests on, of webhooks. Pure. */
export function webhookNotes(webhooks: readonly KnownWebhook[]): readonly string[] {
  const answer = webhooks.filter(({ down }) => down === undefined).map(({ webhook }) => webhook.name);
  return [
    ...webhooks.flatMap(({ webhook, down }) =>
      down === undefined ? [] : [`webhook ${webhook.name} does not answer: ${down}`],
    ),
    ...(answer.length === 0
      ? []
      : [`webhooks are not asked, and count as allowing all: ${[...new Set(answer)].join(', ')}`]),
  ];
}
