import { clusteredCaches, cloudDatabases, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { Client, Instant, KubernetesObject, Pod, ResourceDescriptor } from '@ordinal/client';
import {
  controllerRevisions,
  events,
  isApiError,
  jobs,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  services,
  statefulSets,
  storageClasses,
  validatingWebhookConfigurations,
} from '@ordinal/client';
import { withoutBallast } from '../cluster/read.ts';
import { CommandError } from '../failure.ts';
import { resourceQuotas } from './quotas.ts';
import type { WebhookService } from './webhooks.ts';
import { webhookServices } from './webhooks.ts';

/** What was read of a namespace, and of the cluster around it. No Secret and no ConfigMap is read. */
export interface Snapshot {
  readonly at: Instant;
  readonly namespace: string;
  readonly objects: readonly KubernetesObject[];
  /** Whether the classes of storage were read: then there are no others. */
  readonly knowsClasses: boolean;
  /** Pods that run on the nodes and are not of the namespace. */
  readonly beside: readonly Pod[];
  /** What the webhooks are reached by. */
  readonly webhookServices: readonly WebhookService[];
  /** What could not be read, and what is taken for it. */
  readonly unread: readonly string[];
}

/** What the operator's own work can't be played without. */
const needed: readonly ResourceDescriptor[] = [
  ...[clusteredCaches, kvStoreClusters, monitoredStatefulSets],
  ...[statefulSets, pods, persistentVolumeClaims, jobs],
];

/** Of the namespace, what may be missing, and what is taken for it then. */
const lesser: readonly (readonly [descriptor: ResourceDescriptor, otherwise: string])[] = [
  [controllerRevisions, 'each StatefulSet counts as unchanged since its pods were made'],
  [services, 'the operator makes them anew'],
  [podDisruptionBudgets, 'the operator makes them anew'],
  [resourceQuotas, 'there is room for all'],
  [events, 'what they say of webhooks is not known'],
  [cloudDatabases, 'none are played'],
];

/** Around it. */
const around: readonly (readonly [descriptor: ResourceDescriptor, otherwise: string])[] = [
  [nodes, 'the nodes of the present pods are taken, without labels and taints'],
  [storageClasses, 'each class that is named counts as one that provisions and grows volumes'],
  [validatingWebhookConfigurations, 'there are none'],
  [mutatingWebhookConfigurations, 'there are none'],
];

interface Place {
  readonly client: Client;
  readonly namespace: string;
}

async function listed(descriptor: ResourceDescriptor, { client, namespace }: Place) {
  const kind = client(descriptor);
  try {
    return (await (descriptor.scope === 'Cluster' ? kind.cluster() : kind.namespace(namespace)).list()).items;
  } catch (error) {
    // A cluster may have some of our definitions only: of the others there is nothing.
    if (isApiError(error, 'NotFound')) return [];
    throw error;
  }
}

/** Resolves to undefined where the user may not. */
async function ifAllowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** The volumes of the claims that were read; what may not be read is made up later from the claims. */
async function volumesOf(claims: readonly KubernetesObject[], { client }: Place) {
  const names = claims.flatMap((claim) => (claim as { spec?: { volumeName?: string } }).spec?.volumeName ?? []);
  const read = names.map((name) => ifAllowed(() => client(persistentVolumes).cluster().find(name)));
  return (await Promise.all(read)).filter((volume) => volume !== undefined);
}

/** The pods of other namespaces, which take a part of the nodes. Undefined where the user may not list them. */
const podsBeside = ({ client, namespace }: Place): Promise<readonly Pod[] | undefined> =>
  ifAllowed(async () => {
    const { items } = await client(pods).list({ project: withoutBallast });
    return items.filter(({ metadata }) => metadata.namespace !== namespace);
  });

/**
 * Reads a namespace, and what of the cluster it depends on: by GET requests alone, and no Secrets. Throws a `CommandError` where something may not be read without
 * which nothing can be played.
 */
export async function takeSnapshot(place: Place, at: Instant): Promise<Snapshot> {
  const unread: string[] = [];
  const objects: KubernetesObject[] = [];
  for (const descriptor of needed) {
    const items = await ifAllowed(() => listed(descriptor, place));
    if (items) objects.push(...items);
    else throw new CommandError(`what-if needs to list ${descriptor.plural} in ${place.namespace}, and you may not`);
  }
  let knowsClasses = false;
  for (const [descriptor, otherwise] of [...lesser, ...around]) {
    const items = await ifAllowed(() => listed(descriptor, place));
    if (descriptor === storageClasses) knowsClasses = items !== undefined;
    if (items) objects.push(...items);
    else unread.push(`${descriptor.plural}: you may not list them; ${otherwise}`);
  }
  const knowsNodes = objects.some(({ kind }) => kind === nodes.kind);
  const beside = knowsNodes ? await podsBeside(place) : [];
  if (!beside)
    unread.push('pods of other namespaces: you may not list them; of what a node has, they count as taking nothing');
  const namespace = await ifAllowed(() => place.client(namespaces).cluster().find(place.namespace));
  const claims = objects.filter(({ kind }) => kind === persistentVolumeClaims.kind);
  objects.push(...(namespace ? [namespace] : []), ...(await volumesOf(claims, place)));
  const reached = await webhookServices(place.client, objects);
  for (const { namespace: of, name, found } of reached)
    if (found === 'unread')
      unread.push(`Service ${of}/${name}, and its endpoints: you may not read them; its webhooks count as answering`);
  return {
    at,
    namespace: place.namespace,
    objects,
    knowsClasses,
    beside: beside ?? [],
    webhookServices: reached,
    unread,
  };
}
