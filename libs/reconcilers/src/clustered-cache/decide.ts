import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Instant, Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { milliseconds, templateHashAnnotation } from '@ordinal/constructs';
import type { Action, Announcement, Decision } from '../decision/index.ts';
import { earliest, seenOf, timestamp, withFindings } from '../decision/index.ts';
import type { Problem } from '../error-management/index.ts';
import { manageError } from '../error-management/index.ts';
import type {
  Member,
  RolloutOutcome,
  Progress,
  Question,
  RolloutAnswer,
  RolloutObservation,
} from '../rollout/index.ts';
import { bypassOf, decideRollout, isSettled, memberOf, preTerminateHook, questionKey } from '../rollout/index.ts';
import { childActions, takenName } from './children.ts';
import { answerOfGateJob } from './gate-job.ts';
import { openGatesAnnotation, pausedAnnotation, releaseMembers } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { effectiveGates, gateTargets, knownAnswer } from './questions.ts';
import { progressOf, statusOf } from './status.ts';
import type { WantedTemplate } from './template.ts';
import { wantedTemplate } from './template.ts';
import { validateClusteredCache, violationText } from './validate.ts';

/** What members have answered in this reconcile, by `questionKey`. */
export type Answers = ReadonlyMap<string, RolloutAnswer>;

/** Either what to do, or what must be asked before that can be said. */
export type CacheVerdict = { readonly ask: readonly Question[] } | { readonly decision: Decision };

/** One more look and its moment. */
export interface Moment {
  readonly answers: Answers;
  readonly now: Instant;
}

/** Takes our finalizer off pods, so that none is stranded. */
export function releasePods(held: readonly Pod[], because: string): Action[] {
  return held
    .filter(({ metadata }) => metadata.finalizers?.includes(preTerminateHook))
    .map((pod) => ({
      kind: 'removeFinalizer',
      descriptor: pods,
      target: seenOf(pod),
      finalizer: preTerminateHook,
      because,
    }));
}

/**
 * Decides a ClusteredCache. Pure.
 *
 * **Expected flow.** Deletion, pause, validity, initialisation (our finalizer), then children and rollout.
 *
 * **Guarantees.** An object that became invalid can be deleted. No finalizer is added to an object that is being deleted (I25). Nothing is created for
 * one either (I7). The same observation gives the same decision.
 */
export function decideClusteredCache(seen: CacheObservation, moment: Moment): CacheVerdict {
  const { metadata } = seen.cache;
  if (metadata.deletionTimestamp !== undefined) return { decision: decideDeletion(seen) };
  if (metadata.annotations?.[pausedAnnotation] === 'true') return { decision: decidePause(seen.cache, moment.now) };
  const violations = validateClusteredCache(seen.cache);
  if (violations.length > 0) {
    const problem: Problem = { reason: 'Invalid', message: violationText(violations), retry: 'terminal' };
    return { decision: decideProblem(seen, problem, moment.now) };
  }
  const taken = takenName(seen);
  if (taken) return { decision: decideProblem(seen, taken, moment.now) };
  return decideBusiness(seen, moment);
}

function decideDeletion({ cache, pods: present }: CacheObservation): Decision {
  if (!cache.metadata.finalizers?.includes(releaseMembers)) return { actions: [] };
  const finalizer: Action = {
    kind: 'removeFinalizer',
    descriptor: clusteredCaches,
    target: seenOf(cache),
    finalizer: releaseMembers,
    because: 'no pod is held any more',
  };
  return { actions: [...releasePods(present, 'the ClusteredCache is being deleted'), finalizer] };
}

function decidePause(cache: ClusteredCache, now: Instant): Decision {
  const finding = {
    type: 'Progressing',
    status: 'False',
    reason: 'Paused',
    message: `paused by the annotation ${pausedAnnotation}`,
  } as const;
  const conditions = withFindings(cache.status?.conditions, [finding], { now, generation: cache.metadata.generation });
  return {
    actions: [],
    status: { descriptor: clusteredCaches, object: cache, status: { ...cache.status, conditions } },
  };
}

/** Tells what is wrong and touches nothing, save that pods which have ended are let go. */
function decideProblem({ cache, pods: present }: CacheObservation, problem: Problem, now: Instant): Decision {
  const { status, event, lookAgainAt } = manageError(problem, cache.status?.processingError, now);
  const { reason, message } = problem;
  const { generation } = cache.metadata;
  const findings = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Degraded', status: 'True', reason, message },
  ] as const;
  const conditions = withFindings(cache.status?.conditions, findings, { now, generation });
  const ended = present.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const known = cache.status?.processingError;
  return {
    actions: releasePods(ended, 'nothing can be decided about it now'),
    status: {
      descriptor: clusteredCaches,
      object: cache,
      status: {
        ...cache.status,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        processingError: status,
        conditions,
      },
    },
    events: known?.message === message ? [] : [event],
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

function membersOf({ children: { set }, pods: present }: CacheObservation): Member[] {
  if (!set) return [];
  const { uid: setUid, name: setName } = set.metadata;
  const membership = { setUid, setName, revisionAnnotation: templateHashAnnotation, finalizer: preTerminateHook };
  return present.flatMap((pod) => memberOf(pod, membership) ?? []).sort((a, b) => a.ordinal - b.ordinal);
}

/** The upgrade that is under way: the recorded one, or one that begins now, because what is wanted is new. */
function currentProgress(
  members: readonly Member[],
  wanted: WantedTemplate,
  cache: ClusteredCache,
  now: Instant,
): Progress | undefined {
  const recorded = progressOf(cache.status?.upgrade);
  const retried = recorded?.step === 'Failed' && !wanted.failed;
  if (recorded?.revision === wanted.revision && !retried) return recorded;
  if (members.every(({ revision }) => revision === wanted.revision) && !recorded) return undefined;
  return {
    ...recorded,
    revision: wanted.revision,
    startedAt: now,
    step: recorded && !retried && recorded.step !== 'Failed' ? recorded.step : 'Starting',
  };
}

function observeRollout(
  seen: CacheObservation,
  wanted: WantedTemplate,
  childrenPending: boolean,
  moment: Moment,
): RolloutObservation {
  const { cache, children } = seen;
  const { upgrade } = cache.spec;
  const members = membersOf(seen);
  const progress = currentProgress(members, wanted, cache, moment.now);
  const openedFor = cache.metadata.annotations?.[openGatesAnnotation];
  const { set } = children;
  return {
    members,
    replicas: set?.spec.replicas ?? cache.spec.replicas,
    wantedReplicas: cache.spec.replicas,
    revision: wanted.revision,
    deadlineMs: milliseconds(upgrade?.progressDeadline ?? '15m'),
    setIsCurrent:
      set !== undefined && !childrenPending && (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0),
    paused: upgrade?.paused ?? false,
    order: upgrade?.order ?? 'ReverseOrdinal',
    gates: gateTargets(cache.spec),
    can: {
      role: upgrade?.role !== undefined,
      sync: upgrade?.sync !== undefined,
      handoff: upgrade?.handoff !== undefined,
    },
    answer: (question) => answerTo(question, seen, moment),
    ...(progress ? { progress } : {}),
    ...(openedFor === undefined ? {} : { openedFor }),
  };
}

function answerTo(question: Question, seen: CacheObservation, { answers, now }: Moment): RolloutAnswer | undefined {
  const { spec } = seen.cache;
  if (question.about === 'gate') {
    const gate = effectiveGates(spec).find(({ name }) => name === question.gate);
    if (gate?.job) return answerOfGateJob(gate, question.candidate, { ...seen, now });
  }
  return knownAnswer(question, spec) ?? answers.get(questionKey(question));
}

function decideBusiness(seen: CacheObservation, moment: Moment): CacheVerdict {
  const { cache, children } = seen;
  const { now } = moment;
  const wanted = wantedTemplate(cache, children.set);
  const replicas = Math.max(children.set?.spec.replicas ?? 0, cache.spec.replicas);
  const actions = childActions(seen, wanted, replicas);
  const rollout = observeRollout(
    seen,
    wanted,
    actions.some(({ descriptor }) => descriptor.kind === 'StatefulSet'),
    moment,
  );
  const verdict = decideRollout(rollout, now);
  if ('ask' in verdict) return verdict;
  const outcome = 'outcome' in verdict ? verdict.outcome : isSettled(rollout) ? undefined : awaitingRelease;
  const bypass = bypassOf(rollout);
  const status = statusOf({ cache, wanted, rollout, outcome, bypass, now });
  const shrunk = outcome?.replicas === undefined ? actions : childActions(seen, wanted, outcome.replicas);
  const strays = seen.pods.filter(({ metadata }) => !rollout.members.some(({ uid }) => uid === metadata.uid));
  const decision: Decision = {
    actions: [
      ...initialise(cache),
      ...shrunk,
      ...releasePods(strays, 'it is no member any more'),
      ...('settled' in verdict ? verdict.settled : (outcome?.actions ?? [])),
    ],
    status: { descriptor: clusteredCaches, object: cache, status },
    events: announcements({ cache, wanted, rollout, outcome, bypass }),
  };
  const rollbackDue = outcome?.step === 'Failed' && !wanted.failed && cache.spec.upgrade?.onFailure === 'Rollback';
  const lookAgainAt = earliest(outcome?.lookAgainAt, rollbackDue ? now : undefined);
  return { decision: lookAgainAt === undefined ? decision : { ...decision, lookAgainAt } };
}

/** Nothing is left to take down, but a member is still held or on its way. */
const awaitingRelease: RolloutOutcome = { step: 'AwaitingReady', message: 'members are being let go', actions: [] };

function initialise(cache: ClusteredCache): Action[] {
  if (cache.metadata.finalizers?.includes(releaseMembers)) return [];
  const because = 'its pods must be let go before it is';
  return [
    { kind: 'addFinalizer', descriptor: clusteredCaches, target: seenOf(cache), finalizer: releaseMembers, because },
  ];
}

interface Told {
  readonly cache: ClusteredCache;
  readonly wanted: WantedTemplate;
  readonly rollout: RolloutObservation;
  readonly outcome: RolloutOutcome | undefined;
  readonly bypass: string | undefined;
}

/** Events, on transitions only: each goes with a change of the status that the same decision writes first. */
function announcements({ cache, wanted, rollout, outcome, bypass }: Told): Announcement[] {
  const before = cache.status?.upgrade;
  const told: Announcement[] = [];
  if (rollout.progress && rollout.progress.revision !== before?.revision) {
    const reason = wanted.rollingBack ? 'RollingBack' : 'UpgradeStarted';
    told.push({
      type: wanted.rollingBack ? 'Warning' : 'Normal',
      reason,
      note: `to ${wanted.image}, since ${timestamp(rollout.progress.startedAt)}`,
    });
  }
  if (outcome?.step === 'TakingDown' && (before?.step !== 'TakingDown' || before.podUID !== outcome.member?.uid)) {
    told.push({ type: 'Normal', reason: 'TakingDown', note: outcome.message });
  }
  if (before && !outcome) {
    told.push({
      type: 'Normal',
      reason: wanted.rollingBack ? 'RolledBack' : 'UpgradeCompleted',
      note: `all members run ${wanted.image}`,
    });
  }
  if (bypass !== undefined) told.push({ type: 'Warning', reason: 'GateBypassed', note: bypass });
  return [...told, ...(outcome?.events ?? [])];
}
