import { clusteredCaches } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { statefulSets, withFindings } from '@ordinal/client';
import type { Action, Announcement, Decision, Problem, Question, RolloutOutcome } from '@ordinal/lifecycle';
import {
  endHold,
  lifeOf,
  takeHold,
  earliest,
  nothing,
  reportAgainMs,
  byDeletion,
  decideRollout,
  isSettled,
  validationText,
} from '@ordinal/lifecycle';
import { isPaused, pausedAnnotation } from '../annotations.ts';
import { hashIn } from '@ordinal/constructs';
import { decideAdoption } from './adoption.ts';
import { withBypasses } from './bypasses.ts';
import { childActions, takenName } from './children.ts';
import { exposedMembersAfter } from '../upgrade/exposed-members.ts';
import { upgradeEvents } from '../upgrade/events.ts';
import { withFailedCheckOf } from '../upgrade/failed-check.ts';
import { withFailedJobs } from '../upgrade/failed-jobs.ts';
import { beginsJob, jobActions } from '../upgrade/jobs.ts';
import { cacheNaming } from './names.ts';
import { hasBeenMadeSmaller, keptReplicas } from '../upgrade/kept-replicas.ts';
import { membersOf } from './members.ts';
import type { CacheObservation } from './observe.ts';
import { cacheHold, ended, releasePods } from './release.ts';
import type { Inputs } from './rollout-observation.ts';
import { observeRollout } from './rollout-observation.ts';
import { statusOf } from './status.ts';
import type { WantedTemplate } from './template.ts';
import { imageIn, wantedTemplate } from './template.ts';
import { decideBlocked } from './blocked.ts';
import { validateClusteredCache } from './validate.ts';

/** Either what to do, or what must be known before that can be said. */
export type CacheVerdict =
  | { readonly decision: Decision }
  /** What must be asked of members. */
  | { readonly ask: readonly Question[] }
  /** The pods and their StatefulSet must be seen as the API server has them now. */
  | { readonly confirm: true };

/**
 * Decides a ClusteredCache. Pure.
 *
 * **Expected flow.** Deletion, pause, validity, initialization (our finalizer), then children and rollout.
 *
 * **Guarantees.** An object that became invalid can be deleted. No finalizer is added to an object that is being deleted (I25). Nothing is created for
 * one either (I7). An upgrade meets its deadline whatever is wrong (I19), except while a user has paused the cache. The same observation gives the same decision.
 */
export function decideClusteredCache(seen: CacheObservation, inputs: Inputs): CacheVerdict {
  const life = lifeOf(seen.cache, cacheHold);
  if (life === 'released') return { decision: nothing };
  if (life === 'leaving') return { decision: decideDeletion(seen) };
  if (isPaused(seen.cache)) return verdictOf(seen, decidePause(seen, inputs.now), inputs.now);
  const errors = validateClusteredCache(seen.cache);
  if (errors.length > 0) {
    const problem: Problem = { reason: 'InvalidSpec', message: validationText(errors), retry: 'terminal' };
    return verdictOf(seen, decideBlocked(seen, problem, inputs.now), inputs.now);
  }
  const adoption = decideAdoption(seen, inputs.now);
  if (adoption === 'confirm') return { confirm: true };
  if (adoption) return { decision: adoption };
  const taken = takenName(seen);
  if (taken) return verdictOf(seen, decideBlocked(seen, taken, inputs.now), inputs.now);
  return decideBusiness(seen, inputs);
}

/** With what others did past the gates, which nothing else that is decided hides. */
function verdictOf(seen: CacheObservation, decided: Decision, now: Instant): CacheVerdict {
  const decision = withBypasses(seen, decided, now);
  return decision ? { decision } : { confirm: true };
}

function decideDeletion({ cache, pods: present }: CacheObservation): Decision {
  const release = endHold(cache, cacheHold, 'no pod is held any more');
  return { actions: [...releasePods(present, 'the ClusteredCache is being deleted'), release] };
}

function decidePause(seen: CacheObservation, now: Instant): Decision {
  const { cache } = seen;
  const finding = {
    type: 'Progressing',
    status: 'False',
    reason: 'Paused',
    message: `paused by the annotation ${pausedAnnotation}`,
  } as const;
  const conditions = withFindings(cache.status?.conditions, [finding], { now, generation: cache.metadata.generation });
  return {
    actions: releasePods(ended(seen), 'the cache is paused, and the pod has ended'),
    status: { descriptor: clusteredCaches, object: cache, status: { ...cache.status, conditions } },
  };
}

function decideBusiness(seen: CacheObservation, inputs: Inputs): CacheVerdict {
  const { cache, children } = seen;
  const { now } = inputs;
  // What is made in its place depends on what it has left behind.
  if ((!children.set || hasBeenMadeSmaller(membersOf(seen))) && !seen.isConfirmed) return { confirm: true };
  const wanted = wantedTemplate(cache, children.set);
  const replicas = keptReplicas(membersOf(seen));
  const actions = childActions(seen, wanted, replicas);
  // Who goes while a member is exposed goes by another client's hand.
  const childrenPending = actions.some(changesSet) || exposedMembersAfter(membersOf(seen)).exposed.length > 0;
  const rollout = observeRollout(seen, { wanted, childrenPending, ...inputs });
  const verdict = decideRollout(rollout, now, byDeletion);
  if ('ask' in verdict) return verdict;
  const outcome = 'outcome' in verdict ? verdict.outcome : isSettled(rollout) ? undefined : awaitingRelease;
  if (isToConfirm(seen, outcome)) return { confirm: true };
  const kept = outcome?.replicas ?? replicas;
  const findings = { cache, object: cache, naming: cacheNaming, wanted, rollout, outcome, kept, now };
  const status = statusOf(findings);
  const next = templateAfter(seen, wanted, { outcome, status });
  const isAsBefore = next === wanted && kept === replicas;
  const strays = seen.pods.filter(({ metadata }) => !rollout.members.some(({ uid }) => uid === metadata.uid));
  const decision: Decision = {
    actions: [
      ...takeHold(cache, cacheHold),
      // First, as a new member is made as soon as one has gone.
      ...(isAsBefore ? actions : childActions(seen, next, kept)),
      ...releasePods(strays, 'it is no member any more'),
      ...jobActions(seen, { outcome, awaited: rollout.hook, records: status.hooks ?? [] }, now),
      ...('settled' in verdict ? verdict.settled : (outcome?.actions ?? [])),
    ],
    status: { descriptor: clusteredCaches, object: cache, status },
    events: [...upgradeEvents(findings), ...restored(seen, next)],
  };
  const lookAgainAt = earliest(outcome?.lookAgainAt, next === wanted ? undefined : now);
  const due = lookAgainAt === undefined ? decision : { ...decision, lookAgainAt };
  return verdictOf(seen, withFailedJobs(withFailedCheckOf(due, findings, now), findings, now), now);
}

/** A member that goes unasked, and a Job that begins: what the caches do not show yet may serve, or be at work. */
const isToConfirm = ({ isConfirmed }: CacheObservation, outcome: RolloutOutcome | undefined): boolean =>
  !isConfirmed && outcome !== undefined && (outcome.unasked === true || beginsJob(outcome));

const changesSet = ({ descriptor }: Action): boolean => descriptor === statefulSets;

/**
 * What members are made of once the outcome is on record. What has just failed is not brought to the StatefulSet any more (S0.8): it gets back what ran before, whether the members that are there
 * go back to it or stay.
 */
function templateAfter(
  { cache, children }: CacheObservation,
  wanted: WantedTemplate,
  { outcome, status }: { readonly outcome: RolloutOutcome | undefined; readonly status: ReturnType<typeof statusOf> },
): WantedTemplate {
  const fails = outcome?.step === 'Failed' && !wanted.failed;
  return fails ? wantedTemplate({ ...cache, status }, children.set) : wanted;
}

/** The former template comes back to a StatefulSet that still has what has failed, where no rollback does that. */
function restored({ cache, children: { set } }: CacheObservation, wanted: WantedTemplate): Announcement[] {
  const isDue = wanted.failed && !wanted.rollingBack && hashIn(wanted.made) !== wanted.specRevision;
  if (!isDue || hashIn(set?.spec.template) !== wanted.specRevision) return [];
  const note = `the StatefulSet gets the template of ${imageIn(wanted.made, cache.spec)} back, of which new members are made; those that are there stay as they are`;
  return [{ type: 'Normal', reason: 'TemplateRestored', note, atMostEveryMs: reportAgainMs }];
}

/** Nothing is left to take down, but a member is still held or on its way. */
const awaitingRelease: RolloutOutcome = {
  step: 'AwaitingReady',
  message: 'members still have the finalizer of the operator',
  actions: [],
};
