import type { KubernetesObject, Pod, ResourceDescriptor } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { quantity } from '@ordinal/lifecycle';
import type { TestCluster } from '@ordinal/simulator';

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

/** Whether a quota counts every pod: one with scopes counts some, and is not played. */
export const countsAll = ({ spec }: ResourceQuota): boolean =>
  (spec?.scopes ?? []).length === 0 && spec?.scopeSelector === undefined;

type Usage = ReadonlyMap<string, number>;

/** What a pod counts of a quota's resources, by the names that quotas have for them. */
function usageOf({ spec, status }: Pick<Pod, 'spec'> & Partial<Pick<Pod, 'status'>>): Usage {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return new Map();
  const usage = new Map<string, number>([
    ['pods', 1],
    ['count/pods', 1],
  ]);
  for (const { resources = {} } of spec.containers) {
    for (const side of ['requests', 'limits'] as const)
      for (const [name, text] of Object.entries(resources[side] ?? {})) {
        const names = side === 'requests' ? [`requests.${name}`, name] : [`limits.${name}`];
        for (const each of names) usage.set(each, (usage.get(each) ?? 0) + (quantity(String(text)) ?? 0));
      }
  }
  return usage;
}

const sumOf = (usages: readonly Usage[], name: string): number =>
  usages.reduce((sum, usage) => sum + (usage.get(name) ?? 0), 0);

/** An amount in the API server's form: cores in thousandths, bytes in Mi. */
function amount(value: number): string {
  if (Number.isInteger(value))
    return value >= 2 ** 20 && value % 2 ** 20 === 0 ? `${value / 2 ** 20}Mi` : String(value);
  return `${Math.round(value * 1_000)}m`;
}

/** What is in the way of one more pod; undefined where nothing is. */
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

/** Has a simulated API server refuse pods that its quotas have no room for: it knows none itself. What was used is taken from their statuses. */
export function playQuotas(cluster: TestCluster, quotas: readonly ResourceQuota[]): void {
  const played = quotas.filter(countsAll);
  if (played.length === 0) return;
  const usagesNow = (namespace: string): readonly Usage[] => cluster.objects.list(pods, namespace).map(usageOf);
  const [first] = played;
  const before = usagesNow(first?.metadata.namespace ?? '');
  cluster.server.intercept?.({
    before: (request) => {
      const { verb, resource, namespace = '' } = request;
      if (verb !== 'create' || resource.plural !== pods.plural || !('body' in request) || request.subresource)
        return undefined;
      const pod = request.body as Pick<Pod, 'metadata' | 'spec'>; // Of this kind.
      for (const quota of played) {
        const why = exceeded(quota, usageOf(pod), { before, now: usagesNow(namespace) });
        const message = `pods "${pod.metadata.name}" is forbidden: ${why}`;
        const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' } as const;
        if (why !== undefined) return { refuse: { ...status, message } };
      }
      return undefined;
    },
  });
}
