import type { Service } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ChildMetadata, Owner } from '../workload/index.ts';
import {
  childLabels,
  childMetadata,
  disruptionBudget,
  headlessService,
  managedBy,
  selectorLabels,
} from '../workload/index.ts';
import type { ClusteredCacheSpecInput } from '@ordinal/api';

/** A cache to build children for: its name and place, what it asks for, and the owner of the children, if there is one. */
export interface CacheToBuild {
  readonly name: string;
  readonly namespace?: string;
  readonly spec: ClusteredCacheSpecInput;
  readonly owner?: Owner;
}

/** A cache as far as its labels go; without a spec where it is gone. */
export interface CacheNamed {
  readonly name: string;
  readonly spec?: Pick<ClusteredCacheSpecInput, 'adopt'>;
}

const labelled = (name: string) => ({ application: 'clustered-cache', instance: name });

/** The labels that select a cache's members: those of the StatefulSet that it has taken over, or its own. */
export function cacheSelector({ name, spec }: CacheNamed): Record<string, string> {
  return spec?.adopt ? { ...spec.adopt.selector } : selectorLabels(labelled(name));
}

/** On the pods of a StatefulSet that a cache has taken over: the cache's name. Their other labels are those of its former owner. */
export const takenOverByLabel = 'cache.my.domain/taken-over-by';

/** The labels of a cache's pods. */
export function cachePodLabels(cache: CacheToBuild): Record<string, string> {
  return cache.spec.adopt
    ? { [takenOverByLabel]: cache.name, 'app.kubernetes.io/managed-by': managedBy, ...cacheSelector(cache) }
    : childLabels(labelled(cache.name));
}

/** Name, place, labels and owner of a cache's child. The suffix distinguishes it from the others of its kind. */
export function cacheChild({ name, namespace, owner }: CacheToBuild, suffix = ''): ChildMetadata {
  return {
    name: `${name}${suffix}`,
    labels: childLabels(labelled(name)),
    ...(namespace === undefined ? {} : { namespace }),
    ...(owner ? { owner } : {}),
  };
}

/** The name of the governing service. */
export const cacheServiceName = ({ name, spec }: CacheToBuild): string => spec.adopt?.serviceName ?? name;

/** The governing service: the DNS names of the members. Undefined where a StatefulSet was taken over, which has one. */
export function cacheMembersService(cache: CacheToBuild): Service | undefined {
  if (cache.spec.adopt) return undefined;
  const ports = cache.spec.port === undefined ? [] : [{ name: 'cache', port: cache.spec.port, targetPort: 'cache' }];
  return headlessService(cacheChild(cache), { selector: cacheSelector(cache), ports });
}

/** How Services and probes name the members' port: by its name, but by its number where others have made the pods, which call it as they like. */
export const cachePort = ({ adopt, port }: ClusteredCacheSpecInput): string | number =>
  adopt && port !== undefined ? port : 'cache';

/** The service for clients, which leads to ready members only. Undefined for a cache without a port. */
export function cacheClientService(cache: CacheToBuild): Service | undefined {
  if (cache.spec.port === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(cacheChild(cache, '-client')),
    spec: {
      type: 'ClusterIP',
      selector: cacheSelector(cache),
      ports: [{ name: 'cache', port: cache.spec.port, targetPort: cachePort(cache.spec) }],
    },
  };
}

/** The budget for voluntary disruptions: one member at a time by default. Undefined where the spec turns it off. */
export function cacheDisruptionBudget(cache: CacheToBuild): PodDisruptionBudget | undefined {
  const { enabled = true, maxUnavailable = 1 } = cache.spec.podDisruptionBudget ?? {};
  return enabled ? disruptionBudget(cacheChild(cache), { selector: cacheSelector(cache), maxUnavailable }) : undefined;
}
