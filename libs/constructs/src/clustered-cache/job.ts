import type { Job } from 'kubernetes-types/batch/v1.js';
import type { UpgradeTaskToBuild } from '../workload/index.ts';
import { ownerUidLabel, taskJob, taskJobName, taskOfLabel } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import { cacheChild, cacheServiceName } from './children.ts';

/** A Job of a cache, which goes with the cache. Its image is that which is wanted, unless the task names one. */
export function cacheJob(cache: CacheToBuild, { purpose, subject, task, variables }: UpgradeTaskToBuild): Job {
  const { name, namespace, spec, owner } = cache;
  const service = cacheServiceName(cache);
  return taskJob({
    ...{ purpose, subject, task },
    metadata: { ...cacheChild(cache), name: taskJobName({ name, uid: owner?.uid }, purpose, subject) },
    podLabels: { [taskOfLabel]: name, ...(owner ? { [ownerUidLabel]: owner.uid } : {}) },
    image: spec.image,
    variables: {
      ORDINAL_CACHE: name,
      ...(namespace === undefined ? {} : { ORDINAL_NAMESPACE: namespace }),
      ORDINAL_SERVICE: namespace === undefined ? service : `${service}.${namespace}.svc`,
      ORDINAL_PORT: spec.port === undefined ? '' : String(spec.port),
      ORDINAL_REPLICAS: String(spec.replicas),
      ORDINAL_IMAGE: spec.image,
      ORDINAL_PURPOSE: purpose,
      ...variables,
    },
  });
}
