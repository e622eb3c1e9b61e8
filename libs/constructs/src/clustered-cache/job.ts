import type { ClusteredCacheSpecInput } from '@ordinal/api';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Task } from '../workload/index.ts';
import { ownerUidLabel, taskJob, taskJobName, taskOfLabel } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import { cacheChild } from './children.ts';

/** One Job of a cache to build. */
export interface CacheTaskToBuild {
  readonly purpose: 'BeforeUpgrade' | 'Analysis';
  /** What it is made for: the same subject gives the same name, so that it is never run twice for one thing. */
  readonly subject: string;
  readonly task: Task;
  /** Further variables, beside those that every Job gets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Every task that a spec asks for: what of a cluster becomes Jobs, beside those of gates. */
export function cacheTasks({ upgrade }: ClusteredCacheSpecInput): readonly Task[] {
  return [upgrade?.beforeFirstPod, upgrade?.canary?.analysis?.job].filter((task) => task !== undefined);
}

/** A Job of a cache, which goes with the cache. Its image is that which is wanted, unless the task names one. */
export function cacheJob(cache: CacheToBuild, { purpose, subject, task, variables }: CacheTaskToBuild): Job {
  const { name, namespace, spec, owner } = cache;
  return taskJob({
    ...{ purpose, subject, task },
    metadata: { ...cacheChild(cache), name: taskJobName({ name, uid: owner?.uid }, purpose, subject) },
    podLabels: { [taskOfLabel]: name, ...(owner ? { [ownerUidLabel]: owner.uid } : {}) },
    image: spec.image,
    variables: {
      ORDINAL_CACHE: name,
      ...(namespace === undefined ? {} : { ORDINAL_NAMESPACE: namespace }),
      ORDINAL_SERVICE: namespace === undefined ? name : `${name}.${namespace}.svc`,
      ORDINAL_PORT: spec.port === undefined ? '' : String(spec.port),
      ORDINAL_REPLICAS: String(spec.replicas),
      ORDINAL_IMAGE: spec.image,
      ORDINAL_PURPOSE: purpose,
      ...variables,
    },
  });
}
