import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { persistentVolumeClaims, statefulSets, controllerOf, timestamp } from '@ordinal/client';
import { ownerUidLabel, hashIn } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import type { Memory } from '@ordinal/lifecycle';
import { lastRun, scheduleOf } from '@ordinal/lifecycle';
import { acceptedRequest } from './drill/records.ts';
import { heldTemplateOf, versionIn } from './history.ts';
import { clusterFinalizer } from './observation.ts';

/**
 * What is remembered of a cluster: which Jobs have done what, what all members ran, how far an upgrade has come, and whether there may be data. Where that is not known, the Jobs say
 * themselves how they ended, and which times of a schedule have their backup, the StatefulSet what ran before what it brings, and volumes that there are hold data.
 *
 * **Guarantees.** No volume goes because something was forgotten, no canary counts as judged, and every member has to say that it has caught up before another one goes. An upgrade keeps its name, so that its Job is not run twice.
 */
export const clusterMemory: Memory<KVStoreCluster> = {
  descriptor: kvStoreClusters,
  finalizer: clusterFinalizer,
  makesJobs: true,
  forget(cluster, { cache, now }): KVStoreClusterStatus {
    const ran = whatRan(cluster, cache);
    const { toRevision, startedAt } = cluster.status?.upgrade ?? {};
    const request = acceptedRequest(cluster);
    const { replicas, upgrade } = cluster.spec;
    const hasData = ran.currentVersion !== undefined && upgrade?.sync !== undefined;
    const isNamed = toRevision !== undefined && startedAt !== undefined;
    return {
      ...ran,
      ...(hasClaims(cluster, cache) ? { mayHoldData: true } : {}),
      ...(hasData ? { catchingUp: Array.from({ length: replicas }, (_, ordinal) => ({ ordinal })) } : {}),
      ...newestTimeOf(cluster, now),
      // Anyone who has made the status unbelievable must not have drills made by it. What an earlier drill has made is found by its seal, and goes.
      ...(request === undefined ? {} : { drillRequest: request }),
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

/** The newest time of the schedule may have its backup, which its Job says then, or not yet: it is examined again. */
function newestTimeOf({ spec }: KVStoreCluster, now: Instant): Pick<KVStoreClusterStatus, 'backupSchedule'> {
  const { schedule } = spec.backup ?? {};
  const newest = schedule && lastRun(scheduleOf(schedule), now);
  if (!schedule || newest === undefined) return {};
  const suspended = schedule.suspend === true ? { suspended: true } : {};
  return { backupSchedule: { ...scheduleOf(schedule), since: timestamp(newest - 1_000), ...suspended } };
}

/** What the StatefulSet's controller says that all members ran before what is brought to them now. */
function whatRan(
  cluster: KVStoreCluster,
  cache: CacheReader,
): Pick<KVStoreClusterStatus, 'currentVersion' | 'currentRevision'> {
  const { name, namespace = '', uid } = cluster.metadata;
  const set = cache.get(statefulSets, { namespace, name });
  if (!set || controllerOf(set)?.uid !== uid) return {};
  const template = heldTemplateOf(set, cache);
  const version = versionIn(template, cluster);
  return template && version !== undefined ? { currentVersion: version, currentRevision: hashIn(template) } : {};
}

const hasClaims = ({ metadata }: KVStoreCluster, cache: CacheReader): boolean =>
  cache
    .list(persistentVolumeClaims, { namespace: metadata.namespace ?? '' })
    .some((claim) => claim.metadata.labels?.[ownerUidLabel] === metadata.uid);
