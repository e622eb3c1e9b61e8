import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant, Finding } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import type { Action, Announcement, Decision, Member, Question, TaskStep } from '@ordinal/lifecycle';
import {
  earliest,
  endHold,
  endObsolete,
  lifeOf,
  nothing,
  rememberedIn,
  seenOf,
  takeHold,
  withFailedCheck,
} from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import type { DecisionInputs } from '../kind.ts';
import { backupEvents, decideLivingBackup, decideRestore } from './backup.ts';
import { dropOldJobs } from './backup/job-history.ts';
import { recordBackups } from './backup/records.ts';
import { decideRetention } from './backup/retention.ts';
import { decideSchedule } from './backup/scheduled.ts';
import { roomForKept, withAhead } from './ahead-members.ts';
import { withBypasses } from './bypasses.ts';
import { applyChildren } from './children.ts';
import { abandonDrill, decideDrill } from './drill/drill.ts';
import { circumstances, decideDeletion, leftOut, losesRequiredBackup } from './deletion.ts';
import { isAwaited, jobsOf } from './exclusive-jobs.ts';
import { withFailedJobs } from './failed-jobs.ts';
import { markData } from './held-data.ts';
import type { Observation } from './observation.ts';
import { clusterHold } from './observation.ts';
import { reservedMember, whileReserved } from './reserved.ts';
import { decideUpgrade } from './rollout-step.ts';
import { decideScale } from './scale.ts';
import { deletingStatus, statusOf } from './status.ts';
import { adoptClaims, createClaims, dropClaims, growVolumes } from './volumes.ts';

/** What to do, and what members must be asked before more can be done. What is not answered yet counts as no. */
export type ClusterDecision = Decision & { readonly ask?: readonly Question[] };

/**
 * Decides all that a reconcile of a cluster does.
 *
 * **Expected flow.** Deletion before everything else, so that also an object that became invalid can go (S0.25). Then the finalizer, the restore where the
 * cluster begins with one, the children in the state that the upgrade and the scaling ask for, broken members, volumes and backups.
 *
 * **Guarantees.** The status, with what the actions rely on, is written before the first of them. The same observation at the same time gives the same
 * decision. Nothing is written when nothing has to change.
 */
export function decideKVStoreCluster(seen: Observation, { now }: DecisionInputs): ClusterDecision {
  const life = lifeOf(seen.cluster, clusterHold);
  if (life === 'released') return nothing;
  return withFailedJobs(
    life === 'leaving' ? askingNothing(seen, deleting(seen, now), now) : lasting(seen, now),
    seen.cluster,
    now,
  );
}

/** What is done for a cluster that is to stay. */
function lasting(seen: Observation, now: Instant): Decision {
  const restore = decideRestore(seen, now);
  return restore && restore.state !== 'Succeeded' ? restoring(seen, restore, now) : living(seen, restore, now);
}

/** No member of a cluster that is being deleted is asked: a check that had failed matters no more. */
const askingNothing = ({ cluster }: Observation, decision: Decision, now: Instant): Decision =>
  withFailedCheck(decision, { result: undefined, before: cluster.status?.conditions }, now);

function deleting(seen: Observation, now: Instant): Decision {
  const step = decideDeletion(seen, now);
  const drill = abandonDrill(seen, now);
  if (step.reason === 'Released') {
    return {
      // No other object knows of it where the deletion orphans.
      actions: [...drill.actions.map(required), endHold(seen.cluster, clusterHold, step.message)],
      events: farewell(seen, now).flatMap((event) => aboutBoth(seen, event)),
    };
  }
  const { records: backups, events } = recordBackups(seen, step.tasks, now);
  const isLost = losesRequiredBackup(seen);
  const status = deletingStatus(seen, step, { now, circumstances: circumstances(seen, now), backups, drill, isLost });
  return {
    actions: [...markData(seen), ...drill.actions, ...step.actions],
    status: statusWrite(seen.cluster, status),
    events: [
      ...retries.events(seen.cluster),
      ...drill.events,
      ...step.events,
      ...events.filter(({ note }) => !step.events.some((event) => event.note === note)),
    ],
    ...lookAgain(step.lookAgainAt),
  };
}

/** The event about the cluster and, where its namespace goes, also about that: none is written into a namespace that is being deleted. */
function aboutBoth({ cluster, terminatingNamespace }: Observation, event: Announcement) {
  const { namespace = '', name } = cluster.metadata;
  const inNamespace = { ...event, note: `KVStoreCluster ${namespace}/${name}: ${event.note}` };
  return [
    { ...event, regarding: cluster },
    ...(terminatingNamespace && event.type === 'Warning' ? [{ ...inNamespace, regarding: terminatingNamespace }] : []),
  ];
}

/** What stays behind is said once, with the last write. */
function farewell(seen: Observation, now: Instant): readonly Announcement[] {
  const kept = seen.claims.map(({ metadata }) => metadata.name);
  const skipped = leftOut(seen, now);
  return [
    ...(skipped === undefined ? [] : [{ type: 'Warning', reason: 'StepsLeftOut', note: skipped } as const]),
    ...(kept.length === 0
      ? []
      : [{ type: 'Normal', reason: 'VolumesKept', note: `kept: ${kept.join(', ')}` } as const]),
  ];
}

function restoring(seen: Observation, restore: TaskStep, now: Instant): Decision {
  const upgrade = { template: undefined, partition: 0, record: undefined, replace: [], events: [], tasks: [] };
  // One that can't begin has no result, and leaves everything as it is.
  const cannotBegin = restore.state === 'Failed' && restore.record.result === undefined;
  const tasks = cannotBegin ? [] : [restore];
  const { records: backups, events } = recordBackups(seen, tasks, now);
  const schedule = seen.cluster.status?.backupSchedule;
  const drill = decideDrill(seen, now);
  const all = [...tasks, ...drill.tasks];
  const remembered = rememberedIn(seen.cluster.status);
  const decided = { upgrade, tasks: all, remembered, backups, drill, blocked: [], restore, schedule };
  const status = statusOf(seen, decided, now);
  // The claims first: the Job's pod waits for them.
  return {
    actions: [
      ...takeHold(seen.cluster, clusterHold),
      ...markData(seen),
      ...(cannotBegin ? [] : createClaims(seen)),
      ...restore.actions,
      ...endObsolete(jobsOf(seen), (job) => isAwaited(seen, job, { upgrade, tasks: [restore] }), now),
      ...drill.actions,
    ],
    status: statusWrite(seen.cluster, status),
    events: [...retries.events(seen.cluster), ...events, ...drill.events],
    ...lookAgain(earliest(restore.lookAgainAt, drill.lookAgainAt)),
  };
}

function living(seen: Observation, restore: TaskStep | undefined, now: Instant): ClusterDecision {
  const scale = decideScale(seen, now);
  const upgrade = decideUpgrade(seen, now, scale.isShrinking);
  const ask = [...(upgrade.ask ?? []), ...(scale.ask ?? [])];
  const backup = decideLivingBackup(seen, now);
  const room = upgrade.keepFrom === undefined ? roomForKept(seen) : 0;
  const replicas = Math.max(room, Math.min(scale.replicas, upgrade.maxReplicas ?? Infinity));
  const wanted = whileReserved(seen, { template: upgrade.template, partition: upgrade.partition, replicas });
  const drill = decideDrill(seen, now);
  const work = [
    ...[...upgrade.tasks, ...scale.tasks, ...(restore ? [restore] : []), ...(backup ? [backup] : [])],
    ...drill.tasks,
  ];
  const schedule = decideSchedule(seen, work, now);
  const { records: recorded, events } = recordBackups(seen, [...work, ...schedule.backups], now);
  const { backups, ...kept } = decideRetention(seen, recorded, now);
  const tasks = [...work, ...kept.tasks];
  const old = dropOldJobs(seen, [...tasks, ...schedule.backups], now);
  const blocked = [scale.blockedBy ?? scaledAsWanted];
  const failed = restore?.state === 'Failed' ? { restore } : {};
  // Where no member was asked, as while a StatefulSet is made again, what is known of them stays.
  const known = upgrade.remembered ?? rememberedIn(seen.cluster.status);
  const remembered = { ...known, ...scale.remembered };
  const decided = { upgrade, tasks, remembered, backups, drill, blocked, schedule: schedule.state, ...failed };
  const status = statusOf(seen, { ...decided, kept: wanted.replicas }, now);
  const decision: ClusterDecision = {
    actions: [
      ...takeHold(seen.cluster, clusterHold),
      ...markData(seen),
      ...[...tasks, ...schedule.backups].flatMap(({ actions }) => actions.map(beside)),
      ...[...(upgrade.actions ?? []), ...(scale.actions ?? [])].map(beside),
      ...withAhead(seen, upgrade.keepFrom, applyChildren(seen, wanted)),
      ...upgrade.replace.map((member) => replace(member, seen)),
      ...adoptClaims(seen),
      ...dropClaims(seen),
      ...growVolumes(seen).map((growth) => ({ ...beside(growth), needs: 'nothing' }) as const),
      ...endObsolete(jobsOf(seen), (job) => isAwaited(seen, job, { upgrade, tasks }), now).map(beside),
      ...old.actions,
      ...drill.actions,
    ],
    ...(ask.length === 0 ? {} : { ask }),
    status: statusWrite(seen.cluster, status),
    events: [
      ...retries.events(seen.cluster),
      ...upgrade.events,
      ...(scale.events ?? []),
      ...(backup ? backupEvents(seen, backup) : []),
      ...schedule.events,
      ...kept.events,
      ...events,
      ...drill.events,
    ],
    ...lookAgain(
      earliest(
        ...[
          old.lookAgainAt,
          drill.lookAgainAt,
          upgrade.lookAgainAt,
          scale.lookAgainAt,
          ...(reservedMember(seen) ? [now + reservedAgainMs] : []),
          schedule.lookAgainAt,
          kept.lookAgainAt,
        ],
        ...tasks.map(({ lookAgainAt }) => lookAgainAt),
      ),
    ),
  };
  const checked = { result: upgrade.check ?? scale.check, before: seen.cluster.status?.conditions };
  return withFailedCheck(withBypasses(decision, { seen, ofScale: scale.bypass }, now), checked, now);
}

/** A Job that can't be made holds up only what waits for its result, and a volume that can't grow nothing at all. */
const beside = (action: Action): Action => ({ ...action, neededBy: 'nothing' });

/** It is carried out before what comes after it, or that is not. */
const required = ({ neededBy: _neededBy, ...action }: Action): Action => action as Action; // The rest of an action is the same action.

/** How long until the operator looks again whether a member that another client may delete is going, in milliseconds. */
const reservedAgainMs = 1_000;

const scaledAsWanted: Finding = { type: 'Scaled', status: 'True', reason: 'AsSpecified', message: '' };

/** Seen as they were, a member that serves by now would be deleted, and what the StatefulSet makes now deleted again and again: both have to be as they were seen (I4, I9). */
const replace = (member: Member, { statefulSet }: Observation): Action => ({
  kind: 'delete',
  descriptor: pods,
  target: member,
  resourceVersion: member.resourceVersion,
  ...(statefulSet && { onlyWhile: { descriptor: statefulSets, target: seenOf(statefulSet) } }),
  because:
    'it does not serve and runs another revision than it should; Kubernetes does not replace it by itself (kubernetes#67250)',
});

const statusWrite = (cluster: KVStoreCluster, status: object) => ({
  descriptor: kvStoreClusters,
  object: cluster,
  status,
});

const lookAgain = (instant: Instant | undefined) => (instant === undefined ? {} : { lookAgainAt: instant });
