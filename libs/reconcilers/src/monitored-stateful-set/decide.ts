import { monitoredStatefulSets } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { jobs, statefulSets, conditionOf } from '@ordinal/client';
import type {
  Action,
  Blocked,
  Announcement,
  Decision,
  ExternalCall,
  PollIntervals,
  Question,
  TaskRecord,
} from '@ordinal/lifecycle';
import {
  endHold,
  lifeOf,
  takeHold,
  earliest,
  identityOf,
  nothing,
  longestRetryMs,
  validationText,
  isRetained,
} from '@ordinal/lifecycle';
import { isPaused, retries } from '../annotations.ts';
import { upgradeEvents } from '../upgrade/events.ts';
import { withFailedCheckOf } from '../upgrade/failed-check.ts';
import { withFailedJobs } from '../upgrade/failed-jobs.ts';
import type { DecisionInputs } from '../kind.ts';
import type { AnsweredInputs } from '../upgrade/rollout-observation.ts';
import { adoptionOf, decideAdoption } from './adoption.ts';
import { withBypasses } from './bypasses.ts';
import { cleanupStep } from './cleanup.ts';
import type { MonitorRequest } from './monitor.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { decidePlaces } from './places.ts';
import { decideFormer } from './registration.ts';
import type { Circumstances, PlaceDecision } from './registration.ts';
import {
  applyReason,
  immutableChange,
  isForeign,
  isRollingOut,
  monitoredSetHold,
  wantedStatefulSet,
} from './children.ts';
import { eventsOfStatus } from './events.ts';
import { leavingFailure, leavingStatus, pausedStatus, statusFor, problemStatus, lateFields } from './status.ts';
import type { UpgradeDecision } from './upgrade.ts';
import { decideUpgrade, latenessOf } from './upgrade.ts';
import { validateMonitoredStatefulSet } from './validate.ts';

/** What is handed in because a decision may not make it up. */
export interface MonitoredSetInputs extends DecisionInputs, Pick<AnsweredInputs, 'answers'> {
  /** In [0, 1). */
  readonly random: number;
  readonly intervals: PollIntervals;
}

/** A call of one of the monitors. */
export interface MonitorCall {
  readonly endpoint: string;
  readonly call: ExternalCall<MonitorRequest>;
}

/** A decision about a MonitoredStatefulSet. */
export type MonitoredSetDecision = Decision<MonitorCall>;

/** Either what to do, or what must be known before that can be said. */
export type MonitoredSetVerdict =
  | { readonly decision: MonitoredSetDecision }
  /** What must be asked of members. */
  | { readonly ask: readonly Question[] }
  /** The pods and their StatefulSet must be seen as the API server has them now. */
  | { readonly confirm: true };

/**
 * Decides the next step for a MonitoredStatefulSet: deletion, then validity, then initialization, then its workload and its registration.
 *
 * **Expected flow.** Finalizer; StatefulSet applied; registration announced, then made; endpoint and ID remembered. A changed endpoint is registered first,
 * then the old entry is removed. On deletion the clean-up Job, where one is wanted, runs to its success; then every entry is removed wherever one may be;
 * then the finalizer goes. With `spec.upgrade` the operator replaces the pods, one at a time, each only when its gates are open.
 *
 * **Guarantees.** Those of `decideEnsure` and `decideDelete`, for each monitor. An entry is removed only where it was made, whatever the spec says now. The
 * workload never waits for a monitor. A StatefulSet of another owner is never touched. Clean-up needs nothing that a deletion of the namespace takes away.
 *
 * **Caveats.** A monitor that is gone for good holds the object up. Take its finalizer off by hand then; the entry stays behind.
 */
export function decideMonitoredSet(seen: MonitoredSetObservation, inputs: MonitoredSetInputs): MonitoredSetVerdict {
  const verdict = decideLife(seen, inputs);
  if (!('decision' in verdict)) return verdict;
  const decision = withBypasses(seen, verdict.decision, inputs.now);
  return decision ? { decision } : { confirm: true };
}

function decideLife(seen: MonitoredSetObservation, inputs: MonitoredSetInputs): MonitoredSetVerdict {
  const { set } = seen;
  const life = lifeOf(set, monitoredSetHold);
  if (life === 'released') return { decision: nothing };
  if (isPaused(set)) return { decision: { actions: [], status: written(seen, pausedStatus(set, inputs.now)) } };
  const leaving = life === 'leaving';
  const errors = leaving ? [] : validateMonitoredStatefulSet(set);
  if (errors.length > 0)
    return { decision: decideBlocked(seen, { reason: 'InvalidSpec', message: validationText(errors) }, inputs.now) };
  // The status is sealed before the set is held, so that one which is emptied later on is noticed.
  if (life === 'new')
    return { decision: { actions: takeHold(set, monitoredSetHold), status: written(seen, set.status ?? {}) } };
  if (leaving) return { decision: remove(seen, inputs) };
  const wanted = wantedStatefulSet(set);
  const adoption = adoptionOf(seen, wanted);
  if (adoption === 'take over' && !seen.isConfirmed) return { confirm: true };
  if (adoption) return { decision: decideAdoption(seen, adoption, inputs.now) };
  const problem = problemIn(seen, wanted);
  if (!set.spec.upgrade || problem) return { decision: ensure(seen, { ...inputs, wanted, problem }) };
  const verdict = decideUpgrade(seen, inputs);
  if (!('decided' in verdict)) return verdict;
  return { decision: ensure(seen, { ...inputs, wanted, problem, upgrade: verdict.decided }) };
}

const written = ({ set }: MonitoredSetObservation, status: object): NonNullable<MonitoredSetDecision['status']> => ({
  descriptor: monitoredStatefulSets,
  object: set,
  status,
});

/** What is done for a set while nothing can be done for it: it is said why, in the status and in an event, and said again for as long as it lasts. */
export function decideBlocked(seen: MonitoredSetObservation, problem: Blocked, now: Instant): MonitoredSetDecision {
  const status = problemStatus(seen, problem, now);
  const events = eventsOfStatus(seen.set, status);
  return { actions: [], status: written(seen, status), events, lookAgainAt: now + longestRetryMs };
}

/** What is done for a set of which the API server has not taken something: it is said. */
export function decideFailure(
  seen: MonitoredSetObservation,
  { message }: Pick<Blocked, 'message'>,
  now: Instant,
): MonitoredSetDecision {
  const { set } = seen;
  if (set.metadata.deletionTimestamp === undefined) return decideBlocked(seen, { reason: 'Refused', message }, now);
  const status = leavingFailure(seen, message, now);
  return { actions: [], status: written(seen, status), events: eventsOfStatus(set, status) };
}

/** What is known when a set that is wanted is brought to what its spec asks for. */
interface Ensuring extends MonitoredSetInputs {
  /** The StatefulSet, as the embedded spec says. */
  readonly wanted: ReturnType<typeof wantedStatefulSet>;
  /** Why the StatefulSet can't be written. */
  readonly problem: Blocked | undefined;
  /** What was decided about the pods; undefined where the StatefulSet's controller replaces them. */
  readonly upgrade?: UpgradeDecision;
}

/** What is done about the StatefulSet and its pods. */
interface WorkloadStep {
  /** Why the StatefulSet has to be written. */
  readonly reason: string | undefined;
  readonly apply: readonly Action[];
  /** What comes after. */
  readonly actions: readonly Action[];
  readonly isRolling: boolean;
}

function workloadStep({ statefulSet }: MonitoredSetObservation, { wanted, problem, upgrade }: Ensuring): WorkloadStep {
  if (upgrade) {
    const { reason, workload, actions, findings } = upgrade;
    const isRolling = findings.outcome !== undefined && findings.outcome.step !== 'Failed';
    return { reason, apply: workload, actions, isRolling };
  }
  const reason = problem ? undefined : applyReason(statefulSet, wanted);
  const isRolling = reason !== undefined || isRollingOut(statefulSet);
  if (reason === undefined) return { reason, apply: [], actions: [], isRolling };
  const onlyIfAbsent = statefulSet ? {} : { onlyIfAbsent: true };
  const apply = { kind: 'apply', descriptor: statefulSets, object: wanted, because: reason, ...onlyIfAbsent } as const;
  return { reason, apply: [apply], actions: [], isRolling };
}

function ensure(seen: MonitoredSetObservation, inputs: Ensuring): MonitoredSetDecision {
  const { set, places } = seen;
  const { problem, upgrade, now, random, intervals } = inputs;
  const { reason, apply, actions, isRolling } = workloadStep(seen, inputs);
  const refused = refusedBefore(set, reason);
  const mute = set.spec.muteDuringRollout && isRolling;
  const about: Circumstances = { set, mute, now, random, intervals };
  const late = problem && set.spec.upgrade ? latenessOf(seen, now) : undefined;
  const [current, ...former] = places;
  if (current === undefined || problem?.reason === 'NameTaken') {
    const status = { ...statusFor(seen, { problem, isRolling, places: [], now }), ...lateFields(set, late) };
    const events = [...(late?.events ?? []), ...eventsOfStatus(set, status)];
    return { actions: [], status: written(seen, status), events, lookAgainAt: now + longestRetryMs };
  }
  const decided = decidePlaces(current, former, about);
  const lookAgainAt = earliest(
    ...[upgrade?.lookAgainAt, late?.lookAgainAt],
    ...decided.map((place) => place.lookAgainAt),
  );
  const parts = { problem: problem ?? refused, upgrade, isRolling, places: decided, now };
  const status = { ...statusFor(seen, parts), ...(upgrade ? {} : lateFields(set, late)) };
  const ofUpgrade = upgrade ? upgradeEvents(upgrade.findings) : [...retries.events(set), ...(late?.events ?? [])];
  const decision: MonitoredSetDecision = {
    // What is refused must not hold up the registration; what is not tried yet must not wait for a monitor.
    actions: refused ? [...callsOf(decided), ...apply, ...actions] : [...apply, ...actions, ...callsOf(decided)],
    status: written(seen, status),
    events: [...ofUpgrade, ...eventsOfStatus(set, status), ...eventsOfFormer(decided)],
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
  return upgrade ? withFailedJobs(withFailedCheckOf(decision, upgrade.findings, now), upgrade.findings, now) : decision;
}

/** What the API server has refused stays reported while it is tried again. */
function refusedBefore(
  { status }: MonitoredSetObservation['set'],
  applyReason: string | undefined,
): Blocked | undefined {
  const before = conditionOf(status?.conditions, 'Degraded');
  if (applyReason === undefined || before?.reason !== 'Refused') return undefined;
  return { reason: 'Refused', message: before.message };
}

function problemIn(
  { set, statefulSet }: MonitoredSetObservation,
  wanted: ReturnType<typeof wantedStatefulSet>,
): Blocked | undefined {
  if (statefulSet === undefined) return undefined;
  const { name } = statefulSet.metadata;
  if (isForeign(statefulSet, set)) {
    return {
      reason: 'NameTaken',
      message: `StatefulSet ${name} does not belong to this object: delete it, or give this object another name`,
    };
  }
  const field = immutableChange(statefulSet, wanted);
  if (field === undefined) return undefined;
  const message = `spec.statefulSetSpec.${field} can't be changed on a StatefulSet: put it back, or delete StatefulSet ${name} with --cascade=orphan to have it created again`;
  return { reason: 'ImmutableFieldChanged', message };
}

const callsOf = (places: readonly PlaceDecision[]): Action<MonitorCall>[] =>
  places.flatMap(({ endpoint, calls }) =>
    calls.map(({ call, because }) => ({ kind: 'call' as const, call: { endpoint, call }, because })),
  );

function remove(seen: MonitoredSetObservation, inputs: MonitoredSetInputs): MonitoredSetDecision {
  const { set, places } = seen;
  const step = cleanupStep(seen, inputs.now);
  if (step !== undefined && step.state !== 'Succeeded') {
    const status = leavingStatus(seen, {
      places: undefined,
      task: step.record,
      isTried: step.actions.length > 0,
      now: inputs.now,
    });
    // A failure is reported again while it lasts, also where the pause before the next try is longer.
    const reportAt = step.state === 'Failed' ? inputs.now + longestRetryMs : undefined;
    const lookAgainAt = earliest(step.lookAgainAt, reportAt);
    const again = lookAgainAt === undefined ? {} : { lookAgainAt };
    return {
      actions: step.actions,
      status: written(seen, status),
      events: [...retries.events(set), ...eventsOfStatus(set, status)],
      ...again,
    };
  }
  const decided = places.map((place) => decideFormer(place, { set, mute: false, ...inputs }));
  if (decided.every(({ done }) => done)) return finish(seen);
  const task: TaskRecord | undefined = step?.record ?? set.status?.cleanupTask;
  const lookAgainAt = earliest(...decided.map((place) => place.lookAgainAt));
  const status = leavingStatus(seen, { places: decided, task, now: inputs.now });
  return {
    actions: callsOf(decided),
    status: written(seen, status),
    events: [...retries.events(set), ...eventsOfStatus(set, status)],
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

/** Everything outside is gone, or stays by policy. */
function finish({ set, cleanup }: MonitoredSetObservation): MonitoredSetDecision {
  const because =
    set.spec.deletionPolicy === 'Retain'
      ? 'the registration stays, as the policy says'
      : 'nothing is registered any more';
  const job: Action<MonitorCall>[] = cleanup?.job
    ? [{ kind: 'delete', descriptor: jobs, target: identityOf(cleanup.job), because: 'its work is done' }]
    : [];
  return {
    actions: [...job, endHold(set, monitoredSetHold, because)],
    events: [{ type: 'Normal', reason: 'CleanedUp', note: because, regarding: set }],
  };
}

/** Which former URLs are forgotten. */
function eventsOfFormer([, ...former]: readonly PlaceDecision[]): Announcement[] {
  const forgotten = former.filter(({ externalStatus, done }) => isRetained(externalStatus) && done === true);
  return forgotten.map(({ externalStatus }) => ({
    type: 'Normal',
    reason: 'FormerMonitorForgotten',
    note: externalStatus.message,
  }));
}
