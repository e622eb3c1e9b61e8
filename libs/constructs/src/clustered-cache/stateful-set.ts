import type { StatefulSet, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { PersistentVolumeClaim, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import { childMetadata } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import { cacheChild, cacheSelector, cacheServiceName } from './children.ts';
import { cacheClaim, cachePodTemplate } from './pod-template.ts';

/** What a reconciler decides beyond the spec, for the StatefulSet now. */
export interface StatefulSetNow {
  /** How many members now: while a cache shrinks, one after the other leaves. */
  readonly replicas?: number;
  /** The pods' template now: during a rollback, the one that ran before. */
  readonly template?: PodTemplateSpec;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What a StatefulSet that was taken over has, and Kubernetes does not let change. */
  readonly fixed?: Partial<Pick<StatefulSetSpec, 'selector' | 'podManagementPolicy' | 'volumeClaimTemplates'>>;
}

function claim({ spec }: CacheToBuild): PersistentVolumeClaim[] {
  const { storage } = spec;
  if (!storage) return [];
  const className = storage.className === undefined ? {} : { storageClassName: storage.className };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: cacheClaim(spec) },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: String(storage.size) } },
        ...className,
      },
    },
  ];
}

/** What was taken over keeps the labels that its maker gave it. */
function metadataOf(cache: CacheToBuild): ObjectMeta {
  const metadata = childMetadata(cacheChild(cache));
  const { labels: _ours, ...unlabelled } = metadata;
  return cache.spec.adopt ? unlabelled : metadata;
}

/**
 * The members. Kubernetes replaces none of them by itself (`OnDelete`), and creates missing ones whatever the others do (`Parallel`), so that a
 * broken member never blocks the replacement of another (kubernetes#67250).
 */
export function cacheStatefulSet(cache: CacheToBuild, now: StatefulSetNow = {}): StatefulSet {
  const claims = claim(cache);
  const metadata = metadataOf(cache);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: now.annotations ? { ...metadata, annotations: { ...now.annotations } } : metadata,
    spec: {
      replicas: now.replicas ?? cache.spec.replicas,
      serviceName: cacheServiceName(cache),
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: cacheSelector(cache) },
      template: now.template ?? cachePodTemplate(cache),
      ...(claims.length > 0 ? { volumeClaimTemplates: claims } : {}),
      ...now.fixed,
    },
  };
}
