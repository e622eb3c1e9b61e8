import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { instantOf } from '@ordinal/client';
import type { Instant, Job, ObjectKey } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { cleanupForLabel } from '@ordinal/constructs';
import { awaitChange, requeueAfter } from '@ordinal/runtime';
import type { ControllerOptions, ReconcileContext, Result } from '@ordinal/runtime';
import type {
  Announcement,
  CleanupMetrics,
  PollIntervals,
  Probes,
  Question,
  RolloutAnswer,
  Seals,
} from '@ordinal/lifecycle';
import {
  ActionError,
  askUntilDecided,
  execute,
  carryOut,
  ExternalError,
  failedStatus,
  jittered,
  noCleanupMetrics,
  ObservedReservations,
  putQuestion,
  sinceFirstLook,
  usualIntervals,
  writeBack,
  SealedJobs,
  SealedStatuses,
  failsNow,
} from '@ordinal/lifecycle';
import { adoptJobs } from '../adopt-jobs.ts';
import { jobMarks, reservationAnnotation } from '../annotations.ts';
import type { FormerStatus } from './conditions.ts';
import { withOutputs } from '../upgrade/jobs.ts';
import { decideFailure, decideMonitoredSet } from './decide.ts';
import type { MonitorCall, MonitoredSetDecision } from './decide.ts';
import { eventsOfStatus } from './events.ts';
import { checksOf } from './member-checks.ts';
import { monitoredSetMemory } from './memory.ts';
import type { Monitors } from './monitor.ts';
import { confirmMembers, observeMonitoredSet } from './observe.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { statusAfter } from './outcome.ts';
import type { Place } from './place.ts';

/** What the controllers of MonitoredStatefulSet are made of. */
export interface MonitoredStatefulSetOptions {
  readonly monitors: Monitors;
  readonly seals: Seals;
  /** How members are asked. */
  readonly probes: Probes;
  readonly intervals?: PollIntervals;
  readonly metrics?: CleanupMetrics;
  readonly controller?: ControllerOptions;
}

/** How often a decision may ask on: it asks about roles, sync, the hand-off and gates one after the other, so that more is an error of ours. */
const maxRounds = 10;

/** How it stands at the monitors that could not be asked. */
const unaskedAmong = (places: readonly Place[]): readonly FormerStatus[] =>
  places.flatMap(({ endpoint, lookup }) =>
    lookup.kind === 'failed'
      ? [{ endpoint, externalStatus: failedStatus(lookup.error, 'Unknown'), isTried: false }]
      : [],
  );

/** Observes, decides and acts for one MonitoredStatefulSet at a time. */
export class MonitoredStatefulSetReconciler {
  private readonly monitors: Monitors;
  private readonly intervals: PollIntervals;
  private readonly probes: Probes;
  private readonly metrics: CleanupMetrics;
  private readonly statuses: SealedStatuses<MonitoredStatefulSet>;
  private readonly jobs: SealedJobs;
  private readonly reservations = new ObservedReservations(reservationAnnotation);

  constructor({ monitors, seals, probes, intervals, metrics }: MonitoredStatefulSetOptions) {
    this.statuses = new SealedStatuses(monitoredSetMemory, seals);
    this.jobs = new SealedJobs(monitoredStatefulSets, seals, jobMarks);
    this.monitors = monitors;
    this.probes = probes;
    this.intervals = intervals ?? usualIntervals;
    this.metrics = metrics ?? noCleanupMetrics;
  }

  /** One reconcile of the object at this key: at its end the next look is known. */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const stored = context.cache.get(monitoredStatefulSets, key);
    if (stored && !this.statuses.trusts(stored)) return this.statuses.putRight(stored, context);
    if (stored && this.statuses.predatesSealedJobs(stored)) {
      const { uid } = stored.metadata;
      const isMade = (job: Job): boolean =>
        job.metadata.labels?.[cleanupForLabel] === uid || controllerOf(job)?.uid === uid;
      if (await adoptJobs(stored, { own: this.jobs.of(stored), isMade }, context)) return requeueAfter(0);
    }
    const { beganAt, ...looking } = sinceFirstLook(context);
    const how = { monitors: this.monitors, jobs: this.jobs, reservations: this.reservations };
    const observed = await observeMonitoredSet(key, { ...context, ...looking }, how);
    if (observed === undefined) return awaitChange();
    // A clock that was set back meanwhile must not make the pause until the next look longer by that.
    const now = (): Instant => Math.min(beganAt(), context.clock.now());
    const { seen, decision } = await this.decide(observed, now, context);
    const looks = seen.places.flatMap(({ lookup }) => (lookup.kind === 'failed' ? [lookup.error] : []));
    const calls: ExternalError[] = [];
    const result = await this.perform(seen, decision, { context, failures: calls }).catch((failure: unknown) =>
      this.refused(seen, failure, context),
    );
    this.count(seen, decision, { failures: [...looks, ...calls], now: context.clock.now() });
    return this.conclude(result, { looks, calls }, context);
  }

  /** Asks members until it can be decided. */
  private async decide(
    observed: MonitoredSetObservation,
    now: () => Instant,
    context: ReconcileContext,
  ): Promise<{ readonly seen: MonitoredSetObservation; readonly decision: MonitoredSetDecision }> {
    const { signal, clock, outside } = context;
    const { status, metadata } = observed.set;
    const answers = new Map<string, RolloutAnswer>();
    const inputs = { random: context.random(), intervals: this.intervals, answers };
    const how = { probes: this.probes, signal, clock, outside };
    const put = (question: Question): Promise<RolloutAnswer> => putQuestion(question, checksOf(observed.set), how);
    const decideOn = (seen: MonitoredSetObservation) =>
      askUntilDecided({ decide: () => decideMonitoredSet(seen, { ...inputs, now: now() }), put, maxRounds }, answers);
    let seen = await withOutputs({ seen: observed, status }, context);
    let verdict = await decideOn(seen);
    if (verdict && 'confirm' in verdict) {
      seen = await withOutputs({ seen: await confirmMembers(seen, context, this.jobs.of(seen.set)), status }, context);
      verdict = await decideOn(seen);
    }
    if (verdict && 'decision' in verdict) return { seen, decision: verdict.decision };
    throw new Error(`the decision about ${metadata.name} still asks after ${maxRounds} rounds`);
  }

  private async perform(
    { set, places }: MonitoredSetObservation,
    decision: MonitoredSetDecision,
    { context, failures }: { readonly context: ReconcileContext; readonly failures: ExternalError[] },
  ): Promise<Result> {
    const call = async ({ endpoint, call: wanted }: MonitorCall, signal: AbortSignal): Promise<void> => {
      const system = places.find((place) => place.endpoint === endpoint)?.system;
      if (system === undefined || system instanceof ExternalError)
        throw system ?? new TypeError(`no look-up was made at ${endpoint}`);
      const outcome = await carryOut(wanted, system, { ...context, signal });
      if (outcome.error) failures.push(outcome.error);
      const after = { endpoint, outcome, unasked: unaskedAmong(places) };
      let events: readonly Announcement[] = [];
      await writeBack(
        {
          descriptor: monitoredStatefulSets,
          object: set,
          statusAfter: (fresh) => {
            const status = statusAfter(fresh, after, context.clock.now());
            events = eventsOfStatus(fresh, status);
            return status;
          },
          seal: this.statuses.sealed,
        },
        context,
      );
      for (const event of events) context.events.publish({ ...event, regarding: set });
    };
    return execute(decision, context, { call, seal: this.statuses.sealed, create: this.jobs.of(set).create });
  }

  /** What the API server does not take is shown. What it refuses for good is tried again rarely: quotas, policies and webhooks change. */
  private async refused(seen: MonitoredSetObservation, failure: unknown, context: ReconcileContext): Promise<Result> {
    // Without a reply there is no API server to write it to.
    if (!(failure instanceof ActionError) || failure.code !== 'Refused') throw failure;
    await execute(decideFailure(seen, failure, context.clock.now()), context, { seal: this.statuses.sealed });
    if (failure.retry === 'backoff' || seen.set.metadata.deletionTimestamp !== undefined) throw failure;
    return requeueAfter(jittered(this.intervals.steadyMs, context.random()));
  }

  private count(
    { set }: MonitoredSetObservation,
    { actions, status }: MonitoredSetDecision,
    { failures, now }: { readonly failures: readonly ExternalError[]; readonly now: number },
  ): void {
    const deletedAt = instantOf(set.metadata.deletionTimestamp);
    if (deletedAt === undefined) return;
    for (const { code } of failures) this.metrics.failed(monitoredStatefulSets.kind, code);
    const { cleanupTask } = (status?.status ?? {}) as MonitoredStatefulSetStatus; // What is decided for this kind.
    if (cleanupTask && failsNow(set.status?.cleanupTask, cleanupTask))
      this.metrics.failed(monitoredStatefulSets.kind, 'CleanupJobFailed');
    const isDone = actions.some(({ kind }) => kind === 'removeFinalizer');
    if (isDone) this.metrics.finished(monitoredStatefulSets.kind, Math.max(0, now - deletedAt) / 1_000);
  }

  /**
   * After a failure that may pass by itself the runtime's back-off applies. After a call that needs a user to act, we look slowly; a look that does holds up
   * no other monitor: its own next time is in the decision.
   */
  private conclude(
    result: Result,
    { looks, calls }: { readonly looks: readonly ExternalError[]; readonly calls: readonly ExternalError[] },
    context: ReconcileContext,
  ): Result {
    const passing = [...looks, ...calls].find(({ retry }) => retry === 'backoff');
    if (passing) throw passing;
    return calls.length === 0 ? result : requeueAfter(jittered(this.intervals.steadyMs, context.random()));
  }
}
