import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { persistentVolumeClaims, statefulSets } from '@ordinal/client';
import { ownerUidLabel } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import { controllerOf, timestamp } from '../decision/index.ts';
import { hashIn } from '../rollout/index.ts';
import type { Memory } from '../seal/index.ts';
import { heldTemplateOf, versionIn } from './history.ts';
import { clusterFinalizer } from './observation.ts';

/**
 * What is remembered of a cluster: which Jobs have done what, what all members ran, how far an upgrade has come, and whether there may be data. Where that is not known, the Jobs say
 * themselves how they ended, the StatefulSet what ran before what it brings, and volumes that there are hold data.
 *
 * **Guarantees.** No volume goes because something was forgotten, and no canary counts as judged. An upgrade keeps its name, so that its Job is not run twice.
 */
export const clusterMemory: Memory<KVStoreCluster> = {
  descriptor: kvStoreClusters,
  finalizer: clusterFinalizer,
  forget(cluster, { cache, now }): KVStoreClusterStatus {
    const ran = whatRan(cluster, cache);
    const { toRevision, startedAt } = cluster.status?.upgrade ?? {};
    const isNamed = toRevision !== undefined && startedAt !== undefined;
    return {
      ...ran,
      ...(hasClaims(cluster, cache) ? { mayHoldData: true } : {}),
      ...(isNamed
        ? {
            upgrade: {
              ...{ toRevision, toVersion: cluster.spec.version, startedAt, lastProgressAt: timestamp(now) },
              ...(ran.currentVersion === undefined ? {} : { fromVersion: ran.currentVersion }),
            },
          }
        : {}),
    };
  },
};

/** What the StatefulSet's controller says that all members ran before what is brought to them now. */
function whatRan(
  { metadata }: KVStoreCluster,
  cache: CacheReader,
): Pick<KVStoreClusterStatus, 'currentVersion' | 'currentRevision'> {
  const { name, namespace = '', uid } = metadata;
  const set = cache.get(statefulSets, { namespace, name });
  if (!set || controllerOf(set)?.uid !== uid) return {};
  const template = heldTemplateOf(set, cache);
  const version = versionIn(template);
  return template && version !== undefined ? { currentVersion: version, currentRevision: hashIn(template) } : {};
}

const hasClaims = ({ metadata }: KVStoreCluster, cache: CacheReader): boolean =>
  cache
    .list(persistentVolumeClaims, { namespace: metadata.namespace ?? '' })
    .some((claim) => claim.metadata.labels?.[ownerUidLabel] === metadata.uid);
