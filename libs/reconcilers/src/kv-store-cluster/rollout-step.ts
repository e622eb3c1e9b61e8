import type { Instant } from '@ordinal/client';
import { defined } from '@ordinal/client';
import { kvStorePodTemplate, hashIn } from '@ordinal/constructs';
import type { PartitionMove, RolloutOutcome, TaskStep } from '@ordinal/lifecycle';
import {
  aheadFrom,
  byPartition,
  decideRollout,
  earliest,
  everyMember,
  giveUp,
  heldFrom,
  isSuspended,
  withCauseOfJob,
} from '@ordinal/lifecycle';
import { releaseCommand } from '../commands.ts';
import { sinceIn } from '../upgrade/since.ts';
import { roomFor } from './ahead-members.ts';
import { inStatus } from './gates.ts';
import { clusterTask } from './jobs.ts';
import { upgradeSteps } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { clusterNaming, toBuild } from './observation.ts';
import { pausedBySpec } from './pause.ts';
import type { Circumstances } from './rollout-observation.ts';
import { isNew, observeReturn, observeUpgrade } from './rollout-observation.ts';
import type { DueView, UpgradeStep, UpgradeView } from './upgrade.ts';
import type { UpgradeRecord, Verdict } from './verdict.ts';
import {
  asksOf,
  begins,
  brokenAndOutdated,
  deadlineOf,
  hasFailed,
  isComplete,
  recordFor,
  stepOf,
  subjectOf,
  taskBeforeUpgrade,
  viewOf,
} from './upgrade.ts';

/**
 * Decides the template and the partition that the StatefulSet should have now.
 *
 * **Expected flow.** Nothing to do while every member runs what is wanted. Otherwise: what has failed stays rolled back, and an upgrade goes on by the rules of a rollout
 * (`decideRollout`), with a partition as the actuator.
 *
 * **Guarantees.** The failure is recorded before anything is put back, and is not tried again until what is wanted changes (S0.8). What ran before
 * comes back from its ControllerRevision, so that also a change that was not of the version is undone (S0.7). Broken members are deleted, since
 * Kubernetes does not replace them (S0.10, I1). A spec that was changed or put back in the middle is planned again at once (I2).
 *
 * **Caveats.** A cluster that was never complete has nothing to go back to: its template follows the spec.
 */
export function decideUpgrade(seen: Observation, now: Instant, isShrinking = false): UpgradeStep {
  const view = viewOf(seen);
  const at = { now, isShrinking };
  if (hasFailed(seen)) return goingBack(seen, view, afterFailure(seen, view), at);
  if (isComplete(view)) return goingBack(seen, view, settled(view), at);
  if (seen.cluster.status?.currentVersion === undefined) return firstVersion(view);
  if (view.wanted === view.previous)
    return seen.statefulSet ? goingBack(seen, view, backToPrevious(view), at) : remade(seen, view);
  return underWay(seen, { ...view, record: recordFor(view, now) }, at);
}

/** Takes an upgrade one step further. */
function underWay(seen: Observation, due: DueView, at: Circumstances): UpgradeStep {
  const { record } = due;
  const { now } = at;
  const hook = hookOf(seen, due, now);
  const rollout = observeUpgrade(seen, { view: due, hook }, at);
  const move = decideRollout(rollout, now, byPartition);
  const { outcome } = move;
  if (outcome.step === 'Failed' && outcome.failed)
    return { ...goingBack(seen, due, fail(seen, due, outcome.failed), at), tasks: outcome.tasks ?? [] };
  const began = beginning(record, seen.cluster.status?.upgrade);
  const suspended = isSuspended(rollout) ? pausedBySpec(due, now) : undefined;
  if (outcome.step === 'Starting') {
    const made = remade(seen, suspended ? { ...due, record: suspended } : due);
    return withLook(
      { ...made, events: [...began, ...made.events] },
      made.lookAgainAt,
      deadlineOf(seen.cluster, suspended ?? record),
    );
  }
  const step = stepOf(due, record, verdictOf(seen, { view: due, hook, move }), now);
  if (step.failed) {
    const failed = fail(seen, { ...due, record: step.record }, step.failed);
    return { ...goingBack(seen, due, failed, at), tasks: step.tasks };
  }
  // The Job before the first member goes on.
  const recorded = suspended && outcome.step === 'BeforeFirstPod' ? suspended : step.record;
  return withLook(
    { ...step, record: recorded, events: [...began, ...step.events] },
    step.lookAgainAt,
    deadlineOf(seen.cluster, recorded),
  );
}

/** What was decided of an upgrade that is under way. */
interface Decided {
  readonly view: DueView;
  readonly hook: TaskStep | undefined;
  readonly move: PartitionMove;
}

/** What was decided, in the words of the status. */
function verdictOf(seen: Observation, { view, hook, move }: Decided): Verdict {
  const { outcome, template, partition, replace, actions, ask, remembered } = move;
  const { analysed, failed, events, tasks = [] } = outcome;
  const { closed, check = checkOf(outcome, view) } = inStatus(move.closed, view);
  // The result of the Job is recorded together with the first step that relies on it.
  const done = hook?.state === 'Succeeded' && outcome.partition !== undefined ? [hook] : [];
  return {
    ...(closed ?? waitingFor(seen, outcome, view)),
    ...{ partition, replace, actions, ask, tasks: [...done, ...tasks] },
    ...(template === 'present' ? { template: seen.statefulSet?.spec?.template } : {}),
    ...(analysed && { analysed: [...analysed] }),
    ...defined({ failed, events, remembered, check, lookAgainAt: move.lookAgainAt ?? outcome.lookAgainAt }),
  };
}

/** Where an upgrade stands that no gate keeps. */
function waitingFor(
  { taskPods }: Observation,
  outcome: RolloutOutcome,
  { cluster, wanted }: DueView,
): Pick<Verdict, 'step' | 'pod' | 'blockedBy' | 'release'> {
  const { step, pod, message, tasks = [] } = outcome;
  const release = releaseCommand(outcome, { object: cluster, naming: clusterNaming, rollout: { revision: wanted } });
  const blockedBy = step === 'Paused' ? message : outcome.blockedBy;
  const [task] = step === 'BeforeFirstPod' ? tasks : [];
  return {
    step: step as Verdict['step'], // A partition is at no other step.
    ...defined({ pod, release }),
    ...(blockedBy === undefined
      ? {}
      : { blockedBy: task ? withCauseOfJob(taskPods, task.record.job, blockedBy) : blockedBy }),
  };
}

/** The check of a canary that can not be run. */
function checkOf({ failedCheck, pod }: RolloutOutcome, { cluster }: DueView): Verdict['check'] {
  const { namespace = 'default', name } = cluster.metadata;
  const help = `to see more: kubectl describe pod -n ${namespace} ${pod ?? name}`;
  return failedCheck && { failedCheck, help };
}

/** That an upgrade begins is an event, with the status that records it: also of one that is asked for again. */
function beginning(record: UpgradeRecord, before: UpgradeRecord | undefined): UpgradeStep['events'] {
  if (!begins(record, before)) return [];
  const note = `from ${record.fromVersion ?? 'nothing'} to ${record.toVersion ?? 'what the spec asks for'}`;
  return [{ type: 'Normal', reason: 'UpgradeStarted', note }];
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

/** Why an upgrade has failed that stood still for too long; undefined for one that has not. */
export function failureByDeadline(seen: Observation, view: DueView, now: Instant): UpgradeStep['failed'] {
  const { abortedBy: _abortedBy, ...rollout } = observeUpgrade(seen, { view }, { now, isShrinking: false });
  const verdict = giveUp(rollout, now);
  return verdict && 'outcome' in verdict ? verdict.outcome.failed : undefined;
}

/** What becomes of an upgrade that has failed, for this reason and now. */
export function fail(seen: Observation, view: DueView, failed: NonNullable<UpgradeStep['failed']>): UpgradeStep {
  const stop = upgradeSteps(seen.cluster).onFailure === 'Stop';
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
  if (upgradeSteps(seen.cluster).onFailure === 'Stop') {
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

/** Members that go back to what ran before are released one by one too, when their gates are open. Those that do not work are replaced without a question. */
function goingBack(
  seen: Observation,
  view: UpgradeView,
  step: UpgradeStep,
  { now, isShrinking }: Circumstances,
): UpgradeStep {
  const revision = step.template === undefined ? view.wanted : hashIn(step.template);
  const aim = { view, revision, given: step.partition };
  const move = decideRollout(observeReturn(seen, aim, { now, isShrinking }), now, byPartition);
  const { partition, replace, lookAgainAt } = move;
  const { actions, ask, remembered } = move;
  const { closed, check } = inStatus(move.closed, view);
  const record = closed ? recordOfReturn(closed, { view, step, revision }, now) : step.record;
  const gated = {
    ...step,
    ...asksOf(defined({ actions, ask, remembered, check })),
    partition,
    record,
    replace: [...step.replace, ...replace],
  };
  return withLook(gated, step.lookAgainAt, lookAgainAt);
}

/** The step, looked at again at the earlier of these times. */
function withLook(step: UpgradeStep, ...times: readonly (Instant | undefined)[]): UpgradeStep {
  const lookAgainAt = earliest(...times);
  return lookAgainAt === undefined ? step : { ...step, lookAgainAt };
}

/** What the status says of members that go back while one of them waits for its gates. */
function recordOfReturn(
  closed: NonNullable<ReturnType<typeof inStatus>['closed']>,
  { view, step, revision }: { readonly view: UpgradeView; readonly step: UpgradeStep; readonly revision: string },
  now: Instant,
): UpgradeRecord {
  const before = view.cluster.status?.upgrade;
  const isSame = before?.step === closed.step && before.podUID === closed.podUID;
  return { toRevision: revision, ...step.record, ...closed, since: sinceIn(isSame ? before : undefined, now) };
}

/** The Job before the first member, such as a schema migration. Undefined where there is none. */
function hookOf(seen: Observation, view: DueView, now: Instant): TaskStep | undefined {
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
