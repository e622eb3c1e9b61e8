import { Construct } from 'constructs';
import type { Manifest } from '../workload/index.ts';
import { addManifest, remembered, synthesize } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import { cacheClientService, cacheDisruptionBudget, cacheMembersService } from './children.ts';
import type { StatefulSetNow } from './stateful-set.ts';
import { cacheStatefulSet } from './stateful-set.ts';

/** What a `ClusteredCacheWorkload` is made of. */
export interface ClusteredCacheWorkloadProps extends CacheToBuild {
  /** What holds for now only. The reconciler says it; an app does not need to. */
  readonly now?: StatefulSetNow;
}

/**
 * The children of a ClusteredCache: its services, its disruption budget and its StatefulSet. The operator creates exactly these; an app can create
 * them without the operator, and then replaces members by hand, because the StatefulSet updates `OnDelete`.
 *
 * @example
 * new ClusteredCacheWorkload(chart, 'sessions', { name: 'sessions', spec: { replicas: 3, image: 'example.com/cache:1.0', port: 6379 } });
 */
export class ClusteredCacheWorkload extends Construct {
  constructor(scope: Construct, id: string, props: ClusteredCacheWorkloadProps) {
    super(scope, id);
    const children = [
      cacheMembersService(props),
      cacheClientService(props),
      cacheDisruptionBudget(props),
      cacheStatefulSet(props, props.now),
    ];
    for (const child of children) if (child) addManifest(this, child);
  }
}

/** The manifests of a ClusteredCache's children, through the construct, in the order in which they are applied. */
export const synthesizeClusteredCache = remembered((props: ClusteredCacheWorkloadProps): readonly Manifest[] =>
  synthesize((scope) => {
    new ClusteredCacheWorkload(scope, 'cache', props);
  }),
);
