import type { JsonObject } from '../request.ts';
import type { ResourceRegistry, ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';

/** The version that the simulation speaks. */
export const kubernetesVersion: JsonObject = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+ordinal-simulated',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'simulated',
};

interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

const versionOrder = (left: string, right: string): number => rank(right) - rank(left) || (left < right ? 1 : -1);

/** Stable versions come before betas, betas before alphas, higher before lower. */
function rank(version: string): number {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return -1;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return stability * 1e6 + Number(match[1]) * 1e3 + Number(match[3] ?? 0);
}

/** The groups of the registry, the core group left out, with their versions, the preferred one first. */
function groupsOf(registry: ResourceRegistry): readonly GroupVersions[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, version } of registry.all()) {
    if (group === '') continue;
    const versions = groups.get(group) ?? new Set<string>();
    groups.set(group, versions.add(version));
  }
  return [...groups].map(([group, versions]) => ({ group, versions: [...versions].sort(versionOrder) }));
}

const versionEntry = (group: string, version: string): JsonObject => ({
  groupVersion: groupVersion({ group, version }),
  version,
});

function groupDocument({ group, versions }: GroupVersions): JsonObject {
  const entries = versions.map((version) => versionEntry(group, version));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** `/apis` in its older form. */
export function groupList(registry: ResourceRegistry): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry).map(groupDocument) };
}

/** `/apis/GROUP`; undefined where there is no such group. */
export function groupOf(registry: ResourceRegistry, group: string): JsonObject | undefined {
  const found = groupsOf(registry).find((entry) => entry.group === group);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found) };
}

/** `/api` in its older form. */
export const coreVersions: JsonObject = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'localhost' }],
};

function resourceEntries(resource: ServerResource): readonly JsonObject[] {
  const main = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
  };
  const subresources = [...resource.subresources].map(([name, { group, version, kind, verbs }]) => ({
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...((group !== resource.group || version !== resource.version) && { group, version }),
    kind,
    verbs,
  }));
  return [main, ...subresources];
}

/** The kinds of one group and version; undefined where nothing is served. */
export function resourceList(registry: ResourceRegistry, group: string, version: string): JsonObject | undefined {
  const resources = registry.all().filter((resource) => resource.group === group && resource.version === version);
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion({ group, version }),
    resources: resources.flatMap(resourceEntries),
  };
}

function aggregatedResource(resource: ServerResource): JsonObject {
  const { group, version, kind } = resource;
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(resource.subresources.size > 0 && {
      subresources: [...resource.subresources].map(([name, entry]) => ({
        subresource: name,
        responseKind: { group: entry.group, version: entry.version, kind: entry.kind },
        verbs: entry.verbs,
      })),
    }),
  };
}

/** `/api` or `/apis` in one document, as newer clients ask for it. */
export function aggregated(registry: ResourceRegistry, core: boolean): JsonObject {
  const groups = core ? [{ group: '', versions: ['v1'] }] : groupsOf(registry);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: registry
          .all()
          .filter((resource) => resource.group === group && resource.version === version)
          .map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  };
}
