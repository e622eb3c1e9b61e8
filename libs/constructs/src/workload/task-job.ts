import type { Job } from 'kubernetes-types/batch/v1.js';
import type { PodTemplateSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { milliseconds } from './duration.ts';
import { managedBy } from './labels.ts';
import type { ChildMetadata } from './owner.ts';
import { childMetadata } from './owner.ts';
import { hashOf } from './template-hash.ts';

/** The name of the container in each Job, for the overlay in `spec.jobs.podTemplate`. */
export const taskContainer = 'task';

/** The label that says what a Job is for. */
export const purposeLabel = 'ordinal.dev/purpose';

/** The label that says of which object a Job's pod is. */
export const taskOfLabel = 'ordinal.dev/task-of';

/** The annotation that says what exactly a Job was made for. */
export const subjectAnnotation = 'ordinal.dev/subject';

/** A command that a Job runs, as a spec has it. */
interface Task {
  readonly image?: string;
  readonly command: readonly string[];
  readonly deadline?: string;
  readonly retries?: number;
}

/** One Job of an upgrade to build. */
export interface UpgradeTaskToBuild {
  readonly purpose: 'BeforeUpgrade' | 'Analysis';
  /** What it is made for: the same subject gives the same name, so that it is never run twice for one thing. */
  readonly subject: string;
  readonly task: Task;
  /** Further variables, beside those that every Job gets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What of a spec becomes Jobs of an upgrade. */
interface SpecWithTasks {
  readonly upgrade?: {
    readonly beforeFirstPod?: Task;
    readonly canary?: { readonly analysis?: { readonly job?: Task } };
  };
}

/** Every task that a spec asks for: what of an upgrade becomes Jobs, beside those of gates. */
export function upgradeTasks({ upgrade }: SpecWithTasks): readonly Task[] {
  return [upgrade?.beforeFirstPod, upgrade?.canary?.analysis?.job].filter((task) => task !== undefined);
}

/** A Job to build. */
export interface TaskJobToBuild {
  readonly purpose: string;
  /** What exactly it is made for. */
  readonly subject: string;
  readonly task: Task;
  readonly metadata: ChildMetadata;
  /** The labels of its pod, beside those that every Job's pod has. The members' own would make it a member of their services and budget. */
  readonly podLabels: Readonly<Record<string, string>>;
  /** The image where the task names none. */
  readonly image: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  readonly volumes?: Volume[];
  readonly volumeMounts?: VolumeMount[];
}

/** The name of the Job of an object for a purpose and a subject: at most 63 characters, whatever the object is called. The same subject gives the same name. */
export function taskJobName(
  object: { readonly name: string; readonly uid: string | undefined },
  purpose: string,
  subject: string,
): string {
  const kebab = purpose.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
  const suffix = `-${kebab}-${hashOf([object.uid, purpose, subject])}`;
  return `${object.name.slice(0, 63 - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}

/** The Job of a task, with its purpose as a label and its subject as an annotation. Pure. */
export function taskJob(wanted: TaskJobToBuild): Job {
  const { metadata, purpose, subject } = wanted;
  const { retries = 2, deadline = '10m' } = wanted.task;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...childMetadata({ ...metadata, labels: { ...metadata.labels, [purposeLabel]: purpose } }),
      annotations: { [subjectAnnotation]: subject },
    },
    spec: {
      backoffLimit: retries,
      activeDeadlineSeconds: Math.max(1, Math.ceil(milliseconds(deadline) / 1000)),
      template: taskPod(wanted),
    },
  };
}

function taskPod({
  task,
  purpose,
  podLabels,
  image,
  variables,
  serviceAccountName,
  volumes = [],
  volumeMounts = [],
}: TaskJobToBuild): PodTemplateSpec {
  return {
    metadata: { labels: { ...podLabels, [purposeLabel]: purpose, 'app.kubernetes.io/managed-by': managedBy } },
    spec: {
      restartPolicy: 'Never',
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
      containers: [
        {
          name: taskContainer,
          image: task.image ?? image,
          command: [...task.command],
          env: Object.entries(variables).map(([key, value]) => ({ name: key, value: literal(value) })),
          // The last lines of the log are the message of a container that fails, and of one that succeeds they name the backup.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...(volumeMounts.length > 0 ? { volumeMounts } : {}),
        },
      ],
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/**
 * A value that the kubelet leaves as it is. It puts the value of another variable where one names it, `$(NAME)`, also that of a Secret, and anyone who names a backup, or prints where it
 * is, need not be one who may read Secrets.
 */
const literal = (value: string): string => value.replaceAll('$', '$$$$');
