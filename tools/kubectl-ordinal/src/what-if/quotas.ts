import type { KubernetesObject, PersistentVolumeClaim, Pod, ResourceDescriptor } from '@ordinal/client';
import {
  jobs,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  secrets,
  services,
  statefulSets,
} from '@ordinal/client';
import { quantity } from '@ordinal/lifecycle';
import type { ApiRequest, InterceptedRequest, TestCluster } from '@ordinal/simulator';

/** A quota of a namespace, as far as it is played. */
export interface ResourceQuota extends KubernetesObject {
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: object;
  };
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

/** How the API server calls them. */
export const resourceQuotas: ResourceDescriptor<ResourceQuota> = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced' },
};

/** Whether a quota counts all there is: one with scopes counts some pods, and is not played. */
export const countsAll = ({ spec }: ResourceQuota): boolean =>
  (spec?.scopes ?? []).length === 0 && spec?.scopeSelector === undefined;

/** What the operator and Kubernetes create for the kinds that are played, and quotas count. */
const counted: readonly ResourceDescriptor[] = [
  ...[pods, jobs, persistentVolumeClaims, statefulSets, services, secrets, podDisruptionBudgets],
];

type Usage = ReadonlyMap<string, number>;

/** An object to be: its kind is known from where it is sent. */
type Counted = Pick<KubernetesObject, 'metadata'>;

const qualified = ({ plural, group }: Pick<ResourceDescriptor, 'plural' | 'group'>): string =>
  group === '' ? plural : `${plural}.${group}`;

/** What an object counts of a quota's resources, by the names that quotas have for them. */
function usageOf(descriptor: ResourceDescriptor, object: Counted): Usage {
  const usage = new Map<string, number>([[`count/${qualified(descriptor)}`, 1]]);
  // Those of the core group had a name before the others had one.
  if (descriptor.group === '') usage.set(descriptor.plural, 1);
  const add = (name: string, text: unknown): void =>
    void usage.set(name, (usage.get(name) ?? 0) + (quantity(String(text)) ?? 0));
  if (descriptor.plural === pods.plural) return usageOfPod(object as Counted & PodParts, add) ? usage : new Map(); // Of this kind.
  if (descriptor.plural !== persistentVolumeClaims.plural) return usage;
  const { storageClassName = '', resources } = (object as Counted & Pick<PersistentVolumeClaim, 'spec'>).spec; // Of this kind.
  const ofClass = `${storageClassName}.storageclass.storage.k8s.io`;
  usage.set(`${ofClass}/persistentvolumeclaims`, 1);
  for (const name of ['requests.storage', `${ofClass}/requests.storage`])
    add(name, resources?.requests?.['storage'] ?? 0);
  return usage;
}

type PodParts = Pick<Pod, 'spec'> & Partial<Pick<Pod, 'status'>>;

/** Adds what the containers of a pod ask for. False of one that is over: it counts nothing. */
function usageOfPod({ spec, status }: PodParts, add: (name: string, text: unknown) => void): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  for (const { resources = {} } of spec.containers)
    for (const side of ['requests', 'limits'] as const)
      for (const [name, text] of Object.entries(resources[side] ?? {}))
        for (const each of side === 'requests' ? [`requests.${name}`, name] : [`limits.${name}`]) add(each, text);
  return true;
}

const sumOf = (usages: readonly Usage[], name: string): number =>
  usages.reduce((sum, usage) => sum + (usage.get(name) ?? 0), 0);

/** An amount in the API server's form: cores in thousandths, bytes in Mi. */
function amount(value: number): string {
  if (Number.isInteger(value))
    return value >= 2 ** 20 && value % 2 ** 20 === 0 ? `${value / 2 ** 20}Mi` : String(value);
  return `${Math.round(value * 1_000)}m`;
}

/** What is in the way of one more object; undefined where nothing is. */
function exceeded(
  { metadata, spec, status }: ResourceQuota,
  more: Usage,
  { before, now }: { readonly before: readonly Usage[]; readonly now: readonly Usage[] },
): string | undefined {
  const over = Object.entries(spec?.hard ?? {}).flatMap(([name, limit]) => {
    const asked = more.get(name) ?? 0;
    const used = (quantity(status?.used?.[name] ?? '0') ?? 0) + sumOf(now, name) - sumOf(before, name);
    return asked > 0 && used + asked > (quantity(limit) ?? Infinity) + 1e-9 ? [{ name, limit, asked, used }] : [];
  });
  if (over.length === 0) return undefined;
  const list = (value: (of: (typeof over)[number]) => string): string =>
    over.map((each) => `${each.name}=${value(each)}`).join(',');
  return `exceeded quota: ${metadata.name}, requested: ${list(({ asked }) => amount(asked))}, used: ${list(({ used }) => amount(used))}, limited: ${list(({ limit }) => limit)}`;
}

/** Whether a request would make an object that is not there. */
const makesOne = (cluster: TestCluster, descriptor: ResourceDescriptor, request: InterceptedRequest): boolean =>
  'body' in request &&
  request.subresource === undefined &&
  (request.verb === 'create' ||
    (request.verb === 'apply' &&
      cluster.objects.find(descriptor, request.namespace ?? '', request.name ?? '') === undefined));

/** Has a simulated API server refuse what its quotas have no room for: it knows none itself. What was used is taken from their statuses. */
export function playQuotas(cluster: TestCluster, quotas: readonly ResourceQuota[]): void {
  const played = quotas.filter(countsAll);
  if (played.length === 0) return;
  const usagesNow = (descriptor: ResourceDescriptor, namespace: string): readonly Usage[] =>
    cluster.objects.list(descriptor, namespace).map((object) => usageOf(descriptor, object));
  const [first] = played;
  const before = new Map(counted.map((each) => [each, usagesNow(each, first?.metadata.namespace ?? '')]));
  cluster.server.intercept?.({
    before: (request) => {
      const descriptor = counted.find((each) => qualified(each) === qualified(request.resource));
      if (!descriptor || !makesOne(cluster, descriptor, request)) return undefined;
      const object = (request as ApiRequest).body as Counted; // Of this kind: it makes one.
      const used = { before: before.get(descriptor) ?? [], now: usagesNow(descriptor, request.namespace ?? '') };
      for (const quota of played) {
        const why = exceeded(quota, usageOf(descriptor, object), used);
        const message = `${qualified(descriptor)} "${object.metadata.name}" is forbidden: ${why}`;
        const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' } as const;
        if (why !== undefined) return { refuse: { ...status, message } };
      }
      return undefined;
    },
  });
}
