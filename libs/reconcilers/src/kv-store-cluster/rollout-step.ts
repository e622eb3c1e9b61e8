import type { Instant, StatefulSet } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { kvStorePodTemplate, hashIn } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import {
  aheadFrom,
  atTheLatest,
  earliest,
  everyMember,
  frontierOf,
  heldFrom,
  isCatchingUp,
  sizeOf,
  verdictOnHook,
  withCauseOfJob,
} from '@ordinal/lifecycle';
import { abortAnnotation } from '../annotations.ts';
import { roomFor } from './ahead-members.ts';
import { canaryStep, names } from './canary.ts';
import { type Verdict } from './verdict.ts';
import { waitsFor } from './causes.ts';
import { throughGates } from './gates.ts';
import { clusterTask } from './jobs.ts';
import { upgradePolicy } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { objectOf, toBuild } from './observation.ts';
import type { UpgradeStep, UpgradeView } from './upgrade.ts';
import type { UpgradeRecord } from './verdict.ts';
import {
  allRun,
  asksOf,
  brokenAndOutdated,
  deadlineOf,
  hasFailed,
  isComplete,
  isOverdue,
  isUpdated,
  recordFor,
  stepOf,
  subjectOf,
  taskBeforeUpgrade,
  viewOf,
} from './upgrade.ts';

/**
 * Decides the template and the partition that the StatefulSet should have now.
 *
 * **Expected flow.** Nothing to do while every member runs what is wanted. Otherwise: what has failed stays rolled back; an abort, a deadline that has
 * passed or a failed step rolls back; a pause holds; the Job before the first pod runs; then the strategy says who goes next.
 *
 * **Guarantees.** The failure is recorded before anything is put back, and is not tried again until what is wanted changes (S0.8). What ran before
 * comes back from its ControllerRevision, so that also a change that was not of the version is undone (S0.7). Broken members are deleted, since
 * Kubernetes does not replace them (S0.10, I1). A spec that was changed or put back in the middle is planned again at once (I2).
 *
 * **Caveats.** A cluster that was never complete has nothing to go back to: its template follows the spec.
 */
export function decideRollout(seen: Observation, now: Instant, isShrinking = false): UpgradeStep {
  const view = viewOf(seen);
  const at = { now, isShrinking };
  if (hasFailed(seen)) return goingBack(seen, view, afterFailure(seen, view), at);
  if (isComplete(view)) return goingBack(seen, view, settled(view), at);
  if (seen.cluster.status?.currentVersion === undefined) return firstVersion(view);
  if (view.wanted === view.previous)
    return seen.statefulSet ? goingBack(seen, view, backToPrevious(view), at) : remade(seen, view);
  const record = recordFor(view, now);
  const due = { ...view, record };
  const failure = failureOf(due, now);
  if (failure) return goingBack(seen, due, fail(seen, due, failure), at);
  const began = begins(view, record);
  if (isNew(seen.statefulSet)) {
    const made = remade(seen, due);
    return lookingAgain({ ...made, events: [...began, ...made.events] }, deadlineOf(seen.cluster, record));
  }
  const step = stepOf(due, record, nextStep(seen, due, at), now);
  if (step.failed) {
    const failed = fail(seen, { ...due, record: step.record }, step.failed);
    return { ...goingBack(seen, due, failed, at), tasks: step.tasks };
  }
  return lookingAgain({ ...step, events: [...began, ...step.events] }, deadlineOf(seen.cluster, step.record ?? record));
}

/** That an upgrade begins is an event, with the status that records it: also of one that is asked for again. */
const begins = ({ record: before }: UpgradeView, record: UpgradeRecord): UpgradeStep['events'] =>
  before?.toRevision === record.toRevision && before?.startedAt === record.startedAt
    ? []
    : [
        {
          type: 'Normal',
          reason: 'UpgradeStarted',
          note: `from ${record.fromVersion ?? 'nothing'} to ${record.toVersion ?? 'what the spec asks for'}`,
        },
      ];

/** The step, looked at again now at the latest. */
function lookingAgain(step: UpgradeStep, atLatest: Instant | undefined): UpgradeStep {
  const lookAgainAt = earliest(step.lookAgainAt, atLatest);
  return lookAgainAt === undefined ? step : { ...step, lookAgainAt };
}

const settled = (view: UpgradeView): UpgradeStep => ({
  template: undefined,
  partition: 0,
  record: undefined,
  replace: [],
  events: [],
  tasks: [],
  ...(view.record?.toRevision !== view.wanted || view.cluster.status?.currentVersion === undefined
    ? {}
    : {
        events: [
          {
            type: 'Normal' as const,
            reason: 'UpgradeCompleted',
            note: `all ${view.cluster.spec.replicas} members run ${view.cluster.spec.version}`,
          },
        ],
      }),
});

/** It is not there, or no controller has looked at it yet. Until one has, a new template would count as the one that every member runs, and no partition would hold anyone. */
const isNew = (set: StatefulSet | undefined): boolean => (set?.status?.currentRevision ?? '') === '';

/**
 * A StatefulSet that is not there, that we do not see yet, or that was just made. Where a version ran before, it is made as it was, and so that it releases no member:
 * an upgrade goes on from there. Of the members that it had released none is made before it has come so far again: they would start as an older version than their
 * volumes have seen (I30). Those that are there the cluster controls meanwhile. Where it had released all, there is nothing to be made as it was.
 */
function remade(seen: Observation, view: UpgradeView): UpgradeStep {
  const made = settled({ ...view, record: undefined });
  if (view.previous === '' || view.previous === view.wanted) return made;
  const ahead = view.record?.partition ?? everyMember;
  if (ahead === 0) return { ...made, record: view.record };
  return {
    ...made,
    template: templateBefore(seen),
    partition: everyMember,
    record: view.record,
    ...(ahead === everyMember ? {} : { maxReplicas: roomFor(seen, ahead), keepFrom: ahead }),
  };
}

/** Nothing ran before, so there is nothing to protect and nothing to go back to: a wrong template is replaced by a right one. */
const firstVersion = (view: UpgradeView): UpgradeStep => ({
  ...settled({ ...view, record: undefined }),
  replace: view.applied === view.wanted ? brokenAndOutdated(view, 0) : [],
});

/** The spec was put back to what ran: members that had gone ahead come back, without a canary. */
const backToPrevious = (view: UpgradeView): UpgradeStep => ({
  ...settled({ ...view, record: undefined }),
  replace: view.applied === view.wanted ? brokenAndOutdated(view, 0) : [],
  ...(view.record && {
    // No member is ahead any more when it has gone back.
    record: heldFrom({ ...ended(view.record), step: 'RollingBack', toRevision: view.wanted }, everyMember),
  }),
});

/** First of all, because a step before it could return early forever (I19). */
function failureOf(view: DueView, now: Instant): UpgradeStep['failed'] {
  if (names(view, abortAnnotation)) {
    const { blockedBy } = view.record;
    const last = blockedBy === undefined ? '' : `, while ${blockedBy}`;
    return { reason: 'Aborted', message: `the upgrade was ended by the annotation ${abortAnnotation}${last}` };
  }
  return failureByDeadline(view, now);
}

/** Why an upgrade has failed that stood still for too long; undefined for one that has not. */
export function failureByDeadline(view: DueView, now: Instant): UpgradeStep['failed'] {
  if (!isOverdue(view.cluster, view.record, now)) return undefined;
  const { step = 'the first step', pod, blockedBy } = view.record;
  const where = pod === undefined ? '' : ` on pod ${pod}`;
  const why = blockedBy === undefined ? '' : `: ${blockedBy}`;
  const since = view.record.lastProgressAt ?? timestamp(now);
  return { reason: 'ProgressDeadlineExceeded', message: `nothing has moved since ${since} (${step}${where}${why})` };
}

/** What becomes of an upgrade that has failed, for this reason and now. */
export function fail(seen: Observation, view: DueView, failed: NonNullable<UpgradeStep['failed']>): UpgradeStep {
  const stop = seen.cluster.spec.upgrade?.onFailure === 'Stop';
  const what = stop
    ? 'the members stay as they are'
    : `going back to ${seen.cluster.status?.currentVersion ?? 'the version before'}`;
  const record = stop ? heldFrom(view.record, stayingFrom(view)) : view.record;
  return {
    ...afterFailure(seen, { ...view, record }),
    failed,
    events: [{ type: 'Warning', reason: 'UpgradeFailed', note: `${failed.message}; ${what}` }],
  };
}

/** From which ordinal on members stay as what is brought to them: those that have been replaced stay, and no other follows. Where it was brought to none, none does. */
const stayingFrom = (view: DueView): number =>
  view.applied === view.held && view.record.partition === undefined ? everyMember : aheadFrom(view);

/** What a failed upgrade leaves: the template that ran before and no partition, or everything as it stood when it failed. */
function afterFailure(seen: Observation, view: UpgradeView): UpgradeStep {
  const left = { record: view.record && ended(view.record), events: [], tasks: [] };
  if (seen.cluster.spec.upgrade?.onFailure === 'Stop') {
    if (seen.statefulSet === undefined || isNew(seen.statefulSet)) return remade(seen, view);
    const partition = view.record === undefined ? view.partition : (view.record.partition ?? everyMember);
    // Made again as it was before, it would bring back as that who has gone ahead.
    const isBehind = view.applied === view.held && partition !== everyMember;
    return { ...left, template: isBehind ? undefined : seen.statefulSet.spec?.template, partition, replace: [] };
  }
  const template = templateBefore(seen);
  const replace = view.applied === hashIn(template) ? brokenAndOutdated(view, 0) : [];
  const isBack = view.members.every(({ revision }) => revision === view.previous);
  const record = left.record && heldFrom(left.record, everyMember);
  return {
    ...{ ...left, template, partition: 0, replace },
    record: record && !isBack ? { ...record, step: 'RollingBack' } : record,
  };
}

/** The record of an upgrade that has failed: it waits for nothing any more, and no command lets it go on. */
function ended(record: UpgradeRecord): UpgradeRecord {
  const { step: _step, pod: _pod, podUID: _uid, blockedBy: _blockedBy, release: _release, ...kept } = record;
  return kept;
}

/** The template that all members ran before: as its ControllerRevision keeps it, or else built for that version. */
function templateBefore({ previousTemplate, cluster }: Observation): UpgradeStep['template'] {
  return previousTemplate ?? kvStorePodTemplate(toBuild(cluster), cluster.status?.currentVersion);
}

/** An upgrade that is under way. */
export type DueView = UpgradeView & { readonly record: NonNullable<UpgradeView['record']> };

function nextStep(seen: Observation, view: DueView, at: Circumstances): Verdict {
  const { cluster } = seen;
  const { now } = at;
  const held = hold(seen, view);
  // Where all have been replaced there is no next one that a pause could hold.
  if (upgradePolicy(cluster).paused && !allRun(view)) {
    const fields = JSON.stringify({ spec: { upgrade: { paused: false } } });
    const release = `kubectl patch ${objectOf(cluster)} --type merge -p '${fields}'`;
    return { ...held, step: 'Paused', blockedBy: 'spec.upgrade.paused is true', release };
  }
  if (view.applied !== view.wanted && isCatchingUp(view)) {
    const blockedBy = 'waiting until the StatefulSet’s controller observes that all members run the former version';
    return { ...held, step: 'Completing', blockedBy };
  }
  const before = beforeFirstPod(seen, view, now);
  if (before && before.state !== 'Succeeded') return waitForHook(seen, before, held);
  const verdict = strategyStep(seen, view, at);
  // Its result is recorded together with the first step that relies on it.
  return before ? { ...verdict, tasks: [before, ...(verdict.tasks ?? [])] } : verdict;
}

/** When it is decided, and whether a member leaves for good with the same decision. */
interface Circumstances {
  readonly now: Instant;
  readonly isShrinking: boolean;
}

/** Who has gone ahead goes on, whatever the strategy says: the canary has fallen back, the strategy was another one, or another version was. No other member is released before the gates are open. */
function strategyStep(seen: Observation, view: DueView, { now, isShrinking }: Circumstances): Verdict {
  const isCanary = seen.cluster.spec.upgradeStrategy === 'Canary';
  const verdict = isCanary ? canaryStep(seen, view, now) : rollingStep(seen, view);
  const partition = Math.min(verdict.partition, aheadFrom(view));
  const heldAt = (ordinal: number) => holdBefore(ordinal, seen, view);
  const { closed, ...gated } = throughGates(seen, view, { revision: view.wanted, partition, heldAt, isShrinking }, now);
  const ask = [...(verdict.ask ?? []), ...gated.ask];
  if (!closed) return withLook({ ...verdict, ...gated, ask }, verdict.lookAgainAt, gated.lookAgainAt);
  const { pod: _pod, blockedBy: _blockedBy, release: _release, lookAgainAt, ...rest } = verdict;
  return withLook({ ...rest, ...closed, ...gated, ask }, lookAgainAt, gated.lookAgainAt);
}

/** The verdict, looked at again at the earlier of these times. */
function withLook<Looked extends { readonly lookAgainAt?: Instant }>(
  looked: Looked,
  ...times: readonly (Instant | undefined)[]
): Looked {
  const lookAgainAt = earliest(...times);
  return lookAgainAt === undefined ? looked : { ...looked, lookAgainAt };
}

/** What releases no member that was not released before, of those up to this ordinal: those above have been, or have nothing to be asked. */
function holdBefore(ordinal: number, seen: Observation, view: DueView): Pick<Verdict, 'template' | 'partition'> {
  const ahead = aheadFrom(view);
  if (ahead <= ordinal) return hold(seen, view);
  return { partition: Math.min(ahead, Math.max(ordinal + 1, view.record.partition ?? everyMember)) };
}

/** Members that go back to what ran before are released one by one too, when their gates are open. Those that do not work are replaced without a question. */
function goingBack(
  seen: Observation,
  view: UpgradeView,
  step: UpgradeStep,
  { now, isShrinking }: Circumstances,
): UpgradeStep {
  const revision = step.template === undefined ? view.wanted : hashIn(step.template);
  const heldAt = (ordinal: number) => ({ partition: ordinal + 1 });
  const intended = { revision, partition: step.partition, heldAt, isShrinking };
  const { closed, partition, replace, lookAgainAt, ...asked } = throughGates(seen, view, intended, now);
  const record = closed ? recordOfReturn(closed, { view, step, revision }, now) : step.record;
  const gated = { ...step, ...asksOf(asked), partition, record, replace: [...step.replace, ...replace] };
  return withLook(gated, step.lookAgainAt, lookAgainAt);
}

/** What the status says of members that go back while one of them waits for its gates. */
function recordOfReturn(
  closed: NonNullable<ReturnType<typeof throughGates>['closed']>,
  { view, step, revision }: { readonly view: UpgradeView; readonly step: UpgradeStep; readonly revision: string },
  now: Instant,
): UpgradeRecord {
  const before = view.cluster.status?.upgrade;
  const isSame = before?.step === closed.step && before.podUID === closed.podUID;
  const since = isSame ? (instantOf(before.since) ?? now) : now;
  return { toRevision: revision, ...step.record, ...closed, since: timestamp(atTheLatest(since, now)) };
}

/**
 * The highest member that is missing, does not run what is wanted or does not serve goes next. The others are held meanwhile: one that is lost comes back as what it ran. That
 * a member serves counts when the StatefulSet's controller has noticed: a partition that is moved in the same instant meets a conflict.
 */
function rollingStep({ statefulSet }: Observation, view: DueView): Verdict {
  const { members, record } = view;
  const size = sizeOf(view);
  const isNoticed = (statefulSet?.status?.readyReplicas ?? size) >= members.filter(({ ready }) => ready).length;
  const isDone = (member: UpgradeView['members'][number]): boolean =>
    isUpdated(member, view) && (isNoticed || member.ordinal > (record.partition ?? everyMember));
  const next = frontierOf(size, members, isDone);
  return next === undefined
    ? { partition: 0, step: 'Completing' }
    : {
        ...{ partition: next.ordinal, step: 'Replacing', pod: `${view.name}-${next.ordinal}` },
        ...waitsFor(next.member),
      };
}

/** What keeps every member as it is, and brings back as what it ran who is missing. */
function hold(seen: Observation, view: DueView): Pick<Verdict, 'template' | 'partition'> {
  const { applied, wanted, held, record } = view;
  const partition = aheadFrom(view);
  if (applied === wanted || partition === everyMember) return { partition };
  // What was made again as it was before: who had gone ahead comes back as what is wanted.
  const isAsWanted = view.members.every(({ ordinal, revision }) => ordinal < partition || revision === wanted);
  if (applied === held && (record.partition !== undefined || isAsWanted)) return { partition };
  // An earlier upgrade goes back, or stands where it was left: with another template, who has gone ahead would follow at once.
  return { template: seen.statefulSet?.spec?.template, partition: applied === held ? view.partition : partition };
}

/** The Job before the first member, such as a schema migration. Undefined where there is none. */
function beforeFirstPod(seen: Observation, view: DueView, now: Instant): TaskStep | undefined {
  const task = taskBeforeUpgrade(seen.cluster);
  if (!task) return undefined;
  return clusterTask(
    seen,
    {
      purpose: 'BeforeUpgrade',
      subject: subjectOf(view.record),
      task,
      variables: { ORDINAL_TARGET_VERSION: seen.cluster.spec.version },
    },
    now,
  );
}

/** Those that were not replaced yet stay: it may have been added in the middle of the upgrade. */
function waitForHook(seen: Observation, task: TaskStep, held: Pick<Verdict, 'template' | 'partition'>): Verdict {
  const common = { ...held, step: 'BeforeFirstPod', tasks: [task] } as const;
  const verdict = verdictOnHook(task);
  if (!verdict || 'failed' in verdict) return { ...common, ...verdict };
  return { ...common, blockedBy: withCauseOfJob(seen.taskPods, task.record.job, verdict.blockedBy) };
}
