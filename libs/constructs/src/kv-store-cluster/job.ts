import type { KVStoreClusterSpecBackupJobInput, KVStoreClusterSpecInput } from '@ordinal/api';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { EnvVar, PodTemplateSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { hashOf, milliseconds, overlayPodTemplate } from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import { kvStoreImage, outlivingLabels, ownerUidLabel } from './cluster.ts';

/** The name of the container in each Job, for the overlay in `spec.jobs.podTemplate`. */
export const taskContainer = 'task';

/** The label that says what a Job is for. */
export const purposeLabel = 'ordinal.dev/purpose';

/** The label that says of which cluster a Job's pod is. */
export const taskOfLabel = 'ordinal.dev/task-of';

/** The annotation that says what exactly a Job was made for. */
export const subjectAnnotation = 'ordinal.dev/subject';

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
  const kebab = purpose.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
  const suffix = `-${kebab}-${hashOf([cluster.owner?.uid, purpose, subject])}`;
  return `${cluster.name.slice(0, 63 - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}

/**
 * A Job of a cluster. It carries no owner reference, because a final backup must end although its cluster goes; it is found by the label with the
 * owner's UID, and stays where it can be read.
 */
export function kvStoreJob(cluster: KVStoreToBuild, wanted: TaskToBuild): Job {
  const { spec, namespace } = cluster;
  const labels = { ...outlivingLabels(cluster), [purposeLabel]: wanted.purpose };
  const { retries = 2, deadline = '10m' } = wanted.task;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: taskName(cluster, wanted.purpose, wanted.subject),
      labels,
      annotations: { [subjectAnnotation]: wanted.subject },
      ...(namespace === undefined ? {} : { namespace }),
    },
    spec: {
      backoffLimit: retries,
      activeDeadlineSeconds: Math.max(1, Math.ceil(milliseconds(deadline) / 1000)),
      template: overlayPodTemplate(taskPod(cluster, wanted, labels), spec.jobs?.podTemplate),
    },
  };
}

function taskPod(cluster: KVStoreToBuild, wanted: TaskToBuild, labels: Record<string, string>): PodTemplateSpec {
  const { spec } = cluster;
  const claims = wanted.claims ?? [];
  const volumes = claims.map(({ ordinal, name }): Volume => ({
    name: `claim-${ordinal}`,
    persistentVolumeClaim: { claimName: name },
  }));
  const volumeMounts = claims.map(({ ordinal }): VolumeMount => ({
    name: `claim-${ordinal}`,
    mountPath: `/claims/${ordinal}`,
  }));
  return {
    // The members' own labels would make the Job's pod a member of their services and budget.
    metadata: {
      labels: {
        [taskOfLabel]: cluster.name,
        ...(labels[ownerUidLabel] === undefined ? {} : { [ownerUidLabel]: labels[ownerUidLabel] }),
        [purposeLabel]: wanted.purpose,
        'app.kubernetes.io/managed-by': labels['app.kubernetes.io/managed-by'] ?? '',
      },
    },
    spec: {
      restartPolicy: 'Never',
      ...(spec.jobs?.serviceAccountName === undefined ? {} : { serviceAccountName: spec.jobs.serviceAccountName }),
      containers: [
        {
          name: taskContainer,
          image: wanted.task.image ?? kvStoreImage(spec, wanted.version),
          command: [...wanted.task.command],
          env: variables(cluster, wanted),
          // The last lines of the log are the message of a container that fails, and of one that succeeds they name the backup.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...(volumeMounts.length > 0 ? { volumeMounts } : {}),
        },
      ],
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

function variables(cluster: KVStoreToBuild, wanted: TaskToBuild): EnvVar[] {
  const { name, namespace, spec } = cluster;
  const values: Record<string, string> = {
    ORDINAL_CLUSTER: name,
    ...(namespace === undefined ? {} : { ORDINAL_NAMESPACE: namespace }),
    ORDINAL_SERVICE: namespace === undefined ? name : `${name}.${namespace}.svc`,
    ORDINAL_PORT: spec.port === undefined ? '' : String(spec.port),
    ORDINAL_REPLICAS: String(spec.replicas),
    ORDINAL_VERSION: wanted.version,
    ORDINAL_PURPOSE: wanted.purpose,
    ...wanted.variables,
  };
  return Object.entries(values).map(([key, value]) => ({ name: key, value: literal(value) }));
}

/**
 * A value that the kubelet leaves as it is. It puts the value of another variable where one names it, `$(NAME)`, also that of a Secret, and whoever names a backup, or prints where it
 * is, need not be one who may read Secrets.
 */
const literal = (value: string): string => value.replaceAll('$', '$$$$');
