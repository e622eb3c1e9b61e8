import type { Instant, StatefulSet } from '@ordinal/client';
import { statefulSets } from '@ordinal/client';
import type { Action, Question, RolloutOutcome } from '@ordinal/lifecycle';
import { byDeletion, decideRollout, earliest, isSettled, onlyAsSeen, seenOf } from '@ordinal/lifecycle';
import { beginsJob, jobActions } from '../upgrade/jobs.ts';
import { exposedMembersAfter } from '../upgrade/exposed-members.ts';
import { hasBeenMadeSmaller, keptReplicas } from '../upgrade/kept-replicas.ts';
import type { Lateness } from '../upgrade/lateness.ts';
import { latenessOf as latenessOfUpgrade } from '../upgrade/lateness.ts';
import type { UpgradeFindings } from '../upgrade/record.ts';
import { upgradeFields } from '../upgrade/record.ts';
import type { AnsweredInputs } from '../upgrade/rollout-observation.ts';
import { applyReason, wantedStatefulSet } from './children.ts';
import { membersOf, setNaming } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { observeRollout } from './rollout-observation.ts';
import type { Revisions } from './template.ts';
import { askedTemplate, revisionsOf, wantedTemplate } from './template.ts';

/** What an upgrade by the operator comes to. */
export interface UpgradeDecision {
  readonly findings: UpgradeFindings;
  readonly revisions: Revisions;
  /** Why the StatefulSet has to be written; undefined where it has not. */
  readonly reason: string | undefined;
  /** What is written to the StatefulSet. */
  readonly workload: readonly Action[];
  /** What else is done, in this order. */
  readonly actions: readonly Action[];
  readonly lookAgainAt: Instant | undefined;
}

/** Either what to do, or what must be known before that can be said. */
export type UpgradeVerdict =
  | { readonly decided: UpgradeDecision }
  | { readonly ask: readonly Question[] }
  /** The pods and their StatefulSet must be seen as the API server has them now. */
  | { readonly confirm: true };

/** A member that goes unasked, and a Job that begins: what the caches do not show yet may serve, or be at work. */
const isToConfirm = (outcome: RolloutOutcome | undefined): boolean =>
  outcome !== undefined && (outcome.unasked === true || beginsJob(outcome));

/** Nothing is left to take down, but a member is not as it should be yet. */
const notYet: RolloutOutcome = {
  step: 'AwaitingReady',
  message: 'not all members are there as they should be',
  actions: [],
};

/**
 * Brings the StatefulSet to what is wanted. The API server refuses the parameters of a rolling update beside `OnDelete`, and fills them in where they are not given: they are taken
 * out first, in a write of their own.
 */
function workloadActions(
  statefulSet: StatefulSet | undefined,
  wanted: StatefulSet,
  because: string | undefined,
): Action[] {
  if (because === undefined) return [];
  const common = { descriptor: statefulSets, because } as const;
  if (!statefulSet) return [{ ...common, kind: 'apply', object: wanted, onlyIfAbsent: true }];
  if (statefulSet.spec.updateStrategy?.rollingUpdate !== undefined) {
    const fields = { spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } };
    return [{ ...common, kind: 'patch', target: seenOf(statefulSet), fields, because: 'spec.upgrade is given' }];
  }
  return [{ ...common, kind: 'apply', object: onlyAsSeen(wanted, statefulSet) }];
}

/** Decides the upgrade of a set whose pods the operator replaces. Pure. */
export function decideUpgrade(seen: MonitoredSetObservation, inputs: AnsweredInputs): UpgradeVerdict {
  const { set, statefulSet, isConfirmed } = seen;
  const { now } = inputs;
  const members = membersOf(seen);
  const { object } = members;
  // What is made in its place depends on what it has left behind.
  if ((!statefulSet || hasBeenMadeSmaller(members)) && !isConfirmed) return { confirm: true };
  const wanted = wantedTemplate(object, askedTemplate(set), statefulSet);
  const replicas = keptReplicas(members);
  const workload = (size: number): StatefulSet => wantedStatefulSet(set, { ...wanted, replicas: size });
  const reason = applyReason(statefulSet, workload(replicas));
  const revisions = revisionsOf(set, statefulSet, wanted);
  // Who goes while a member is exposed goes by another client's hand.
  const childrenPending = reason !== undefined || exposedMembersAfter(members).exposed.length > 0;
  const rollout = observeRollout(seen, { ...inputs, wanted, revisions, childrenPending });
  const verdict = decideRollout(rollout, now, byDeletion);
  if ('ask' in verdict) return verdict;
  const outcome = 'outcome' in verdict ? verdict.outcome : isSettled(rollout) ? undefined : notYet;
  if (isToConfirm(outcome) && !isConfirmed) return { confirm: true };
  const kept = outcome?.replicas ?? replicas;
  const findings = { object, naming: setNaming, wanted, rollout, outcome, kept, now };
  const due = kept === replicas ? reason : 'a member leaves for good';
  const { actions, lookAgainAt, fails } = afterOutcome(seen, findings);
  return {
    decided: {
      ...{ findings, revisions, reason, actions, lookAgainAt },
      workload: fails ? [] : workloadActions(statefulSet, workload(kept), due),
    },
  };
}

/**
 * What is done beside the StatefulSet. What has just failed is not brought to the StatefulSet any more (S0.8): what ran before is put back at once, when the failure is on record.
 */
function afterOutcome(
  seen: MonitoredSetObservation,
  findings: UpgradeFindings,
): Pick<UpgradeDecision, 'actions' | 'lookAgainAt'> & { readonly fails: boolean } {
  const { outcome, rollout, wanted, now } = findings;
  const fails = outcome?.step === 'Failed' && !wanted.failed;
  const records = upgradeFields(findings).hooks ?? [];
  return {
    fails,
    actions: [...jobActions(seen, { outcome, awaited: rollout.hook, records }, now), ...(outcome?.actions ?? [])],
    lookAgainAt: earliest(outcome?.lookAgainAt, fails ? now : undefined),
  };
}

/** What the deadline says of the upgrade that the status records, while nothing else can be decided. Undefined where none is under way. Pure. */
export function latenessOf(seen: MonitoredSetObservation, now: Instant): Lateness | undefined {
  const { set, statefulSet } = seen;
  const members = membersOf(seen);
  const revisions = revisionsOf(set, statefulSet, wantedTemplate(members.object, askedTemplate(set), statefulSet));
  return latenessOfUpgrade(
    {
      ...{ object: members.object, naming: setNaming, kept: keptReplicas(members) },
      observe: (wanted, deadlineMs) =>
        observeRollout(seen, { wanted, revisions, childrenPending: false, answers: new Map(), now, deadlineMs }),
    },
    now,
  );
}
