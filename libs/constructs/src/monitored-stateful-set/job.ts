import type { Job } from 'kubernetes-types/batch/v1.js';
import type { UpgradeTaskToBuild } from '../workload/index.ts';
import { ownerUidLabel, taskJob, taskJobName, taskOfLabel } from '../workload/index.ts';
import type { MonitoredSetToBuild } from './stateful-set.ts';
import { monitoredSetChild } from './stateful-set.ts';

/** A Job of a set's upgrade, which goes with the set. Its image is that of the pods' first container, unless the task names one. */
export function monitoredSetJob(
  set: MonitoredSetToBuild,
  { purpose, subject, task, variables }: UpgradeTaskToBuild,
): Job {
  const { name, namespace, spec, owner } = set;
  const { template, replicas = 1, serviceName = '' } = spec.statefulSetSpec;
  const image = template.spec?.containers[0]?.image ?? '';
  return taskJob({
    ...{ purpose, subject, task, image },
    metadata: { ...monitoredSetChild(set), name: taskJobName({ name, uid: owner?.uid }, purpose, subject) },
    podLabels: { [taskOfLabel]: name, ...(owner ? { [ownerUidLabel]: owner.uid } : {}) },
    variables: {
      ORDINAL_SET: name,
      ...(namespace === undefined ? {} : { ORDINAL_NAMESPACE: namespace }),
      ORDINAL_SERVICE: namespace === undefined || serviceName === '' ? serviceName : `${serviceName}.${namespace}.svc`,
      ORDINAL_REPLICAS: String(replicas),
      ORDINAL_IMAGE: image,
      ORDINAL_PURPOSE: purpose,
      ...variables,
    },
  });
}
