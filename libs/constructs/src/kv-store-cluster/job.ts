import type { KVStoreClusterSpecBackupJobInput, KVStoreClusterSpecInput } from '@ordinal/api';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { overlayPodTemplate, ownerUidLabel, taskJob, taskJobName, taskOfLabel } from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import { kvStoreImage, kvStoreServiceName, outlivingLabels } from './cluster.ts';

/** The annotation by which the operator knows a Job that it has made, where what the Job says decides about data. */
export const sealAnnotation = 'ordinal.dev/seal';

/** What a Job of a cluster is for. */
export type Purpose =
  | 'BeforeUpgrade'
  | 'BeforeScaleDown'
  | 'BeforeDelete'
  | 'FinalBackup'
  | 'Backup'
  | 'Prune'
  | 'Restore'
  | 'RestoreDrill'
  | 'Analysis';

/** One Job to build. */
export interface TaskToBuild {
  readonly purpose: Purpose;
  /** What it is made for: the same subject gives the same name, so that it is never run twice for one thing. */
  readonly subject: string;
  readonly task: KVStoreClusterSpecBackupJobInput;
  /** The version whose image runs where the task names none. */
  readonly version: string;
  /** Further variables, beside those that every Job gets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The claims to mount, by ordinal, at `/claims/ORDINAL`. Only while no member runs: a volume may allow a single node. */
  readonly claims?: readonly { readonly ordinal: number; readonly name: string }[];
}

/** Every task that a spec asks for, now or at some time: what of a cluster becomes Jobs. */
export function tasksOf(spec: KVStoreClusterSpecInput): readonly KVStoreClusterSpecBackupJobInput[] {
  return [
    spec.backup?.job,
    spec.backup?.drill?.check,
    spec.backup?.drill?.restore,
    spec.backup?.prune,
    spec.restoreFrom?.job,
    spec.upgrade?.beforeFirstPod,
    spec.scaleDown?.before,
    spec.delete?.before,
    spec.canary?.analysis?.job,
  ].filter((task) => task !== undefined);
}

/** The name of the Job for a purpose and a subject: at most 63 characters, whatever the cluster is called. */
export function taskName(cluster: Pick<KVStoreToBuild, 'name' | 'owner'>, purpose: Purpose, subject: string): string {
  return taskJobName({ name: cluster.name, uid: cluster.owner?.uid }, purpose, subject);
}

/**
 * A Job of a cluster. It carries no owner reference, because a final backup must end although its cluster goes; it is found by the label with the
 * owner's UID, and stays where it can be read.
 */
export function kvStoreJob(cluster: KVStoreToBuild, wanted: TaskToBuild): Job {
  const { name, spec, namespace } = cluster;
  const labels = outlivingLabels(cluster);
  const service = kvStoreServiceName(cluster);
  const uid = labels[ownerUidLabel];
  const job = taskJob({
    ...{ purpose: wanted.purpose, subject: wanted.subject, task: wanted.task },
    metadata: {
      name: taskName(cluster, wanted.purpose, wanted.subject),
      labels,
      ...(namespace === undefined ? {} : { namespace }),
    },
    podLabels: { [taskOfLabel]: name, ...(uid === undefined ? {} : { [ownerUidLabel]: uid }) },
    image: kvStoreImage(spec, wanted.version),
    variables: {
      ORDINAL_CLUSTER: name,
      ...(namespace === undefined ? {} : { ORDINAL_NAMESPACE: namespace }),
      ORDINAL_SERVICE: namespace === undefined ? service : `${service}.${namespace}.svc`,
      ORDINAL_PORT: spec.port === undefined ? '' : String(spec.port),
      ORDINAL_REPLICAS: String(spec.replicas),
      ORDINAL_VERSION: wanted.version,
      ORDINAL_PURPOSE: wanted.purpose,
      ...wanted.variables,
    },
    ...mounts(wanted),
    ...(spec.jobs?.serviceAccountName === undefined ? {} : { serviceAccountName: spec.jobs.serviceAccountName }),
  });
  const template = overlayPodTemplate(job.spec?.template ?? {}, spec.jobs?.podTemplate);
  return { ...job, spec: { ...job.spec, template } };
}

/** The claims that a Job is to mount. */
function mounts({ claims = [] }: TaskToBuild): { readonly volumes: Volume[]; readonly volumeMounts: VolumeMount[] } {
  return {
    volumes: claims.map(({ ordinal, name }) => ({
      name: `claim-${ordinal}`,
      persistentVolumeClaim: { claimName: name },
    })),
    volumeMounts: claims.map(({ ordinal }) => ({ name: `claim-${ordinal}`, mountPath: `/claims/${ordinal}` })),
  };
}
