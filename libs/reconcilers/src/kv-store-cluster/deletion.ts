import type { Instant, KubernetesObject } from '@ordinal/client';
import { jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Action, Announcement } from '../decision/index.ts';
import { earliest, identityOf, instantOf } from '../decision/index.ts';
import type { TaskStep } from '../task/index.ts';
import { clusterTask, recordOf } from './jobs.ts';
import type { Observation } from './observation.ts';
import { ordinalOfClaim } from './observation.ts';
import { releaseClaims } from './volumes.ts';

/** One step of a deletion. */
export interface DeletionStep {
  readonly reason:
    'BeforeDelete' | 'FinalBackup' | 'Orphaning' | 'StoppingMembers' | 'DeletingJobs' | 'DeletingVolumes' | 'Released';
  readonly message: string;
  readonly actions: readonly Action[];
  readonly tasks: readonly TaskStep[];
  readonly events: readonly Announcement[];
  readonly failed?: boolean;
  readonly lookAgainAt?: Instant;
}

/** The annotation that lets a deletion go on without a step: `FinalBackup`, `BeforeDelete`, or both with a comma. */
export const skipAnnotation = 'ordinal.dev/skip';

/** How long after a failed Job of a deletion the next one is made, doubling with each, in milliseconds. */
const retryMs = 60_000;

const step = (reason: DeletionStep['reason'], message: string, more: Partial<DeletionStep> = {}): DeletionStep => ({
  reason,
  message,
  actions: [],
  tasks: [],
  events: [],
  ...more,
});

/**
 * The next step of a cluster's deletion.
 *
 * **Expected flow.** The Job before the deletion; the final backup, while the members serve; the StatefulSet down and every pod gone; the Jobs whose
 * results nobody needs any more; the volumes, by policy; then nothing is left to do (`Released`) and the finalizer goes.
 *
 * **Guarantees.** Volumes go last, and only with a UID precondition, and only those that carry this cluster's UID (S0.11, I11, I13). Without a policy they
 * go only after a final backup that succeeded. What a step relies on stands in the status first, so each resumes from the API alone (I14).
 *
 * **Assumptions.** Under a foreground cascade the pods are being taken down by the garbage collector whatever we do; the backup's Job then waits until they
 * are gone and mounts the claims (S0.12). In a namespace that is being deleted no Job can be made; the steps that need one are left out, and that is
 * said (S0.13).
 */
export function decideDeletion(seen: Observation, now: Instant): DeletionStep {
  return (
    beforeDelete(seen, now) ??
    letGo(seen, now) ??
    finalBackup(seen, now) ??
    stopMembers(seen, now) ??
    deleteJobs(seen, now) ??
    deleteVolumes(seen, now) ??
    step('Released', 'everything is cleaned up')
  );
}

const skips = ({ cluster }: Observation, what: string): boolean =>
  (cluster.metadata.annotations?.[skipAnnotation] ?? '').split(',').some((part) => part.trim() === what);

const escape = ({ cluster }: Observation, what: string): string =>
  `to go on without it: kubectl annotate kvs ${cluster.metadata.name} ${skipAnnotation}=${what} --overwrite`;

function beforeDelete(seen: Observation, now: Instant): DeletionStep | undefined {
  const task = seen.cluster.spec.delete?.before;
  if (!task || skips(seen, 'BeforeDelete') || seen.namespaceTerminating) return undefined;
  const run = clusterTask(seen, { purpose: 'BeforeDelete', subject: seen.cluster.metadata.uid, task, retryMs }, now);
  if (run.state === 'Succeeded') return recorded(seen, run, { what: 'BeforeDelete', now });
  return waitFor(seen, run, 'BeforeDelete');
}

function finalBackup(seen: Observation, now: Instant): DeletionStep | undefined {
  const { backup } = seen.cluster.spec;
  if (!backup || backup.onDelete === 'Skip' || skips(seen, 'FinalBackup')) return undefined;
  const before = recordOf(seen.cluster.status, 'FinalBackup');
  if (before?.result === 'Succeeded') return undefined;
  if (seen.namespaceTerminating) return undefined;
  // A cluster that never ran has no data, and an image that never started can't back it up.
  if (seen.cluster.status?.currentVersion === undefined) return undefined;
  const stopped = underForeground(seen) || seen.statefulSet === undefined;
  const pods = memberPods(seen);
  if (stopped && pods.length > 0 && before === undefined) {
    return step(
      'FinalBackup',
      `the members are being taken down by a foreground deletion; the final backup begins when ${pods.join(', ')} are gone`,
    );
  }
  const run = clusterTask(
    seen,
    {
      purpose: 'FinalBackup',
      subject: seen.cluster.metadata.uid,
      task: backup.job,
      variables: { ORDINAL_BACKUP_NAME: `${seen.cluster.metadata.name}-final-${seen.cluster.metadata.uid}` },
      claims: stopped ? claimsOf(seen) : [],
      ...(backup.onDelete === 'Required' ? { retryMs } : {}),
    },
    now,
  );
  const isOver = run.state === 'Succeeded' || (run.state === 'Failed' && backup.onDelete === 'BestEffort');
  if (isOver) return recorded(seen, run, { what: 'FinalBackup', now });
  return waitFor(seen, run, 'FinalBackup');
}

/** Undefined once the result stands in the status: what follows relies on it, also when the Job has been cleaned away. */
function recorded(
  seen: Observation,
  run: TaskStep,
  { what, now }: { readonly what: 'BeforeDelete' | 'FinalBackup'; readonly now: Instant },
): DeletionStep | undefined {
  if (recordOf(seen.cluster.status, what)?.result === run.state) return undefined;
  const failed = run.state === 'Failed';
  const message = failed
    ? `the Job ${run.record.job} failed, and the deletion goes on: ${run.record.message ?? ''}`
    : `the Job ${run.record.job} has succeeded`;
  // A status write of our own wakes nobody: look again at once.
  return step(what, message, {
    tasks: [run],
    lookAgainAt: now,
    events: [
      { type: failed ? 'Warning' : 'Normal', reason: failed ? `${what}Failed` : `${what}Succeeded`, note: message },
    ],
  });
}

function waitFor(seen: Observation, run: TaskStep, what: 'BeforeDelete' | 'FinalBackup'): DeletionStep {
  const failed = run.state === 'Failed';
  const said = failed ? `failed and is tried again: ${run.record.message ?? ''}` : 'has not ended';
  return step(what, `the Job ${run.record.job} ${said}; ${escape(seen, what)}`, {
    actions: run.actions,
    tasks: [run],
    failed,
    ...(run.lookAgainAt === undefined ? {} : { lookAgainAt: run.lookAgainAt }),
    events:
      failed && run.actions.length === 0 && run.lookAgainAt !== undefined
        ? [
            {
              type: 'Warning',
              reason: `${what}Failed`,
              note: `the Job ${run.record.job} failed: ${run.record.message ?? ''}`,
            },
          ]
        : [],
  });
}

const underForeground = ({ cluster }: Observation): boolean =>
  cluster.metadata.finalizers?.includes('foregroundDeletion') ?? false;

/** Pods that may still write to the volumes: all that carry the members' labels, of whichever StatefulSet. */
function memberPods({ pods }: Observation): readonly string[] {
  return pods.map(({ metadata }) => metadata.name);
}

function claimsOf({ cluster, claims }: Observation) {
  return claims
    .map((claim) => ({ name: claim.metadata.name, ordinal: ordinalOfClaim(cluster, claim) }))
    .filter((claim): claim is { name: string; ordinal: number } => claim.ordinal !== undefined)
    .sort((a, b) => a.ordinal - b.ordinal);
}

/** A deletion that orphans leaves the members and their volumes, so nothing has to be backed up. */
function letGo(seen: Observation, now: Instant): DeletionStep | undefined {
  if (seen.cluster.metadata.finalizers?.includes('orphan'))
    return step('Orphaning', 'waiting until the garbage collector has let the children go');
  if (!seen.orphaned) return undefined;
  return (
    deleteJobs(seen, now) ??
    step('Released', 'its members and volumes were left to themselves, as the deletion asked (--cascade=orphan)')
  );
}

/** Members that lost their StatefulSet without going with it (`--cascade=orphan`): nobody else takes them down any more. */
function takeOrphans({ cluster, pods: present }: Observation): readonly Action[] {
  return present
    .filter(({ metadata: { name, ownerReferences = [], deletionTimestamp } }) => {
      const isMember = /^\d+$/.test(name.slice(cluster.metadata.name.length + 1));
      return (
        isMember && deletionTimestamp === undefined && !ownerReferences.some(({ controller }) => controller === true)
      );
    })
    .map((pod) => ({
      kind: 'delete',
      descriptor: pods,
      target: identityOf(pod),
      because: 'the cluster is being deleted, and its StatefulSet went without it',
    }));
}

function stopMembers(seen: Observation, now: Instant): DeletionStep | undefined {
  const { statefulSet } = seen;
  const left = memberPods(seen);
  if (statefulSet === undefined && left.length === 0) return undefined;
  const message = `waiting until the members are gone: ${left.length > 0 ? left.join(', ') : 'the StatefulSet is'}`;
  if (statefulSet === undefined || statefulSet.metadata.deletionTimestamp !== undefined)
    return waitUntilGone(step('StoppingMembers', message, { actions: takeOrphans(seen) }), seen.pods, {
      now,
      command: (pod) => `kubectl delete pod -n ${pod.namespace ?? ''} ${pod.name} --force --grace-period=0`,
    });
  return step('StoppingMembers', message, {
    actions: [
      {
        kind: 'delete',
        descriptor: statefulSets,
        target: identityOf(statefulSet),
        because: 'the cluster is being deleted',
      },
    ],
  });
}

/** Whether the volumes go with the cluster. */
function volumesGo({ cluster }: Pick<Observation, 'cluster'>): boolean {
  const { deletionPolicy } = cluster.spec;
  if (deletionPolicy !== undefined) return deletionPolicy === 'Delete';
  return recordOf(cluster.status, 'FinalBackup')?.result === 'Succeeded';
}

function deleteVolumes(seen: Observation, now: Instant): DeletionStep | undefined {
  if (seen.claims.length === 0 || !volumesGo(seen)) return undefined;
  const going = seen.claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const because =
    seen.cluster.spec.deletionPolicy === 'Delete' ? 'deletionPolicy is Delete' : 'the final backup has succeeded';
  const waiting = step(
    'DeletingVolumes',
    `waiting until ${seen.claims.map(({ metadata }) => metadata.name).join(', ')} are gone`,
    {
      actions: [
        ...releaseClaims(seen, seen.claims),
        ...going.map(
          (claim) =>
            ({ kind: 'delete', descriptor: persistentVolumeClaims, target: identityOf(claim), because }) as const,
        ),
      ],
    },
  );
  const command = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
    `kubectl describe pvc -n ${namespace} ${name} (it says who uses it)`;
  return waitUntilGone(waiting, seen.claims, { now, command });
}

/** Purposes whose Jobs outlive the cluster: they say that a backup was made, and where it is. */
const kept: ReadonlySet<string> = new Set(['FinalBackup', 'Backup']);

/**
 * The other Jobs carry no owner reference, so that the garbage collector would leave them and their pods for ever. They go before the volumes that a
 * restore may still mount, and are seen to be gone, with their pods, before anything relies on it.
 */
function deleteJobs(seen: Observation, now: Instant): DeletionStep | undefined {
  const obsolete = seen.jobs.filter(({ metadata }) => !kept.has(metadata.labels?.[purposeLabel] ?? ''));
  if (obsolete.length === 0) return undefined;
  const because = 'its cluster is being deleted, and nobody needs its result any more';
  const waiting = step(
    'DeletingJobs',
    `waiting until ${obsolete.map(({ metadata }) => metadata.name).join(', ')} are gone`,
    {
      actions: obsolete
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((job) => ({
          kind: 'delete',
          descriptor: jobs,
          target: identityOf(job),
          propagation: 'Foreground',
          because,
        })),
    },
  );
  const command = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
    `kubectl get job -n ${namespace} ${name} -o yaml (its finalizers say who holds it)`;
  return waitUntilGone(waiting, obsolete, { now, command });
}

/** How long what is being deleted may take to be gone before somebody has to look, in milliseconds. */
const stuckAfterMs = 15 * 60_000;

/** The deadline of waiting: it goes on after it, but says that it is stuck, on what, and what a person can do. */
function waitUntilGone(
  waiting: DeletionStep,
  objects: readonly KubernetesObject[],
  about: { readonly now: Instant; readonly command: (metadata: KubernetesObject['metadata']) => string },
): DeletionStep {
  const leaving = objects.flatMap(({ metadata }) => {
    const since = instantOf(metadata.deletionTimestamp);
    return since === undefined ? [] : [{ metadata, due: since + stuckAfterMs }];
  });
  const [stuck] = leaving.filter(({ due }) => about.now >= due);
  const next = earliest(...leaving.map(({ due }) => due).filter((due) => due > about.now));
  const lookAgain = next === undefined ? {} : { lookAgainAt: next };
  if (!stuck) return { ...waiting, ...lookAgain };
  const message = `${waiting.message}; ${stuck.metadata.name} has been going for more than 15 minutes: ${about.command(stuck.metadata)}`;
  return { ...waiting, ...lookAgain, message, failed: true };
}

/** What of the way in which the cluster is deleted its owner should know, in sentences. */
export function circumstances(seen: Observation): readonly string[] {
  const skipped = leftOut(seen);
  return [
    ...(underForeground(seen)
      ? [
          'the deletion is a foreground cascade: the garbage collector takes the members down at once, and waits for nobody',
        ]
      : []),
    ...(seen.namespaceTerminating
      ? ['the namespace is being deleted: the volumes go with it, whatever the policy says']
      : []),
    ...(skipped === undefined ? [] : [skipped]),
  ];
}

/** What a deletion leaves out, in a sentence; undefined where it leaves nothing out. */
export function leftOut(seen: Observation): string | undefined {
  const { backup, delete: hooks } = seen.cluster.spec;
  const jobs = [
    ...(hooks?.before ? ['the Job before the deletion'] : []),
    ...(backup && backup.onDelete !== 'Skip' ? ['the final backup'] : []),
  ];
  if (!seen.namespaceTerminating || jobs.length === 0) return undefined;
  return `the namespace is being deleted, where no Job can be made: ${jobs.join(' and ')} did not run`;
}
