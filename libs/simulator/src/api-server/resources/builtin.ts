import dumped from '../../builtin/resources.json' with { type: 'json' };
import type { ServerResource, Subresource } from './resource.ts';
import { ResourceRegistry, storageName } from './resource.ts';

interface DumpedResource {
  readonly groupVersion: string;
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly group?: string;
  readonly version?: string;
}

const split = (groupVersion: string): { group: string; version: string } => {
  const slash = groupVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: groupVersion }
    : { group: groupVersion.slice(0, slash), version: groupVersion.slice(slash + 1) };
};

/** Kinds that are not served. */
const left: ReadonlySet<string> = new Set(['v1 componentstatuses']);

/** What the server says of kinds that are deprecated, by their address. */
const deprecated: Readonly<Record<string, string>> = {
  'v1 endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** A registry with all built-in kinds. */
export function builtinRegistry(): ResourceRegistry {
  const registry = new ResourceRegistry();
  const subresources = new Map<string, Map<string, Subresource>>();
  // The dump is our own: its form is that of APIResource.
  const resources = dumped as readonly DumpedResource[];
  for (const entry of resources) {
    const [plural = '', subresource] = entry.name.split('/');
    if (subresource === undefined) continue;
    const key = `${entry.groupVersion} ${plural}`;
    const known = subresources.get(key) ?? new Map<string, Subresource>();
    const own = split(entry.groupVersion);
    known.set(subresource, {
      kind: entry.kind,
      group: entry.group ?? (entry.version === undefined ? own.group : ''),
      version: entry.version ?? own.version,
      verbs: entry.verbs,
    });
    subresources.set(key, known);
  }
  for (const entry of resources) {
    const key = `${entry.groupVersion} ${entry.name}`;
    if (entry.name.includes('/') || left.has(key)) continue;
    registry.add(builtinResource(entry, subresources.get(key) ?? new Map<string, Subresource>()));
  }
  return registry;
}

function builtinResource(entry: DumpedResource, subresources: ReadonlyMap<string, Subresource>): ServerResource {
  const { group, version } = split(entry.groupVersion);
  const warning = deprecated[`${entry.groupVersion} ${entry.name}`];
  const scale = subresources.has('scale')
    ? {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.spec.selector',
      }
    : undefined;
  return {
    group,
    version,
    plural: entry.name,
    singular: entry.singularName,
    kind: entry.kind,
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    subresources,
    // Events are one kind under two groups.
    storage: group === 'events.k8s.io' ? 'events' : storageName({ group, plural: entry.name }),
    storageVersion: version,
    custom: false,
    ...(scale && { scale }),
    ...(warning !== undefined && { deprecated: warning }),
  };
}
