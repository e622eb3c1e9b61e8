import type { ResourceDescriptor } from '@ordinal/client';
import type { PolicyRule } from '@ordinal/constructs';
import type { ControllerDefinition } from '@ordinal/runtime';

/** One verb on one resource: the smallest thing that can be permitted. */
export interface Grant {
  readonly group: string;
  /** The plural, with the subresource after a slash. */
  readonly resource: string;
  readonly verb: string;
  readonly scope: ResourceDescriptor['scope'];
}

/** What a controller needs to do what it declares: to read what it watches, and to write what it writes. Nothing else. */
export function grantsOf(definition: Pick<ControllerDefinition, 'watches' | 'writes'>): readonly Grant[] {
  const reads = definition.watches.flatMap(({ descriptor }) =>
    ['get', 'list', 'watch'].map((verb) => grant(descriptor, verb)),
  );
  const writes = definition.writes.flatMap(({ descriptor, verbs, subresource }) =>
    verbs.map((verb) => grant(descriptor, verb, subresource)),
  );
  return [...reads, ...writes];
}

function grant(descriptor: ResourceDescriptor, verb: string, subresource?: string): Grant {
  const { group, plural, scope } = descriptor;
  return { group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, verb, scope };
}

/**
 * The fewest rules that give these grants and no other: resources of a group that need the same verbs share a rule. Sorted, so that the same grants
 * always read the same.
 */
export function rulesFrom(grants: readonly Pick<Grant, 'group' | 'resource' | 'verb'>[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { group, resource, verb } of grants) {
    const key = `${group}|${resource}`;
    verbsOf.set(key, (verbsOf.get(key) ?? new Set()).add(verb));
  }
  const resourcesOf = new Map<string, { group: string; verbs: readonly string[]; resources: string[] }>();
  for (const [key, verbSet] of [...verbsOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [group = '', resource = ''] = key.split('|');
    const verbs = [...verbSet].sort();
    const shared = `${group}|${verbs.join()}`;
    const rule = resourcesOf.get(shared) ?? { group, verbs, resources: [] };
    rule.resources.push(resource);
    resourcesOf.set(shared, rule);
  }
  return [...resourcesOf.values()].map(({ group, verbs, resources }) => ({ apiGroups: [group], resources, verbs }));
}
