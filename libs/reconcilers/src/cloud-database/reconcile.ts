import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import { instantOf } from '@ordinal/client';
import type { ObjectKey } from '@ordinal/client';
import { awaitChange, requeueAfter } from '@ordinal/runtime';
import type { ControllerOptions, ReconcileContext, Result } from '@ordinal/runtime';
import type { Announcement, CleanupMetrics, ExternalCall, PollIntervals, Seals } from '@ordinal/lifecycle';
import {
  execute,
  carryOut,
  ExternalError,
  jittered,
  noCleanupMetrics,
  sinceFirstLook,
  TerminatingGauge,
  usualIntervals,
  writeBack,
  SealedStatuses,
} from '@ordinal/lifecycle';
import type { DatabaseProviders, DatabaseRequest } from './database.ts';
import { decideDatabase } from './decide.ts';
import type { DatabaseDecision } from './decide.ts';
import { callFailedEvent } from './failure.ts';
import { databaseMemory } from './memory.ts';
import { observeDatabase } from './observe.ts';
import type { DatabaseObservation } from './observe.ts';
import type { DatabaseOutcome } from './outcome.ts';
import { statusAfter } from './outcome.ts';

/** What the controllers of CloudDatabase are made of. */
export interface CloudDatabaseOptions {
  readonly providers: DatabaseProviders;
  readonly seals: Seals;
  /** Makes a password that cannot be guessed: at least 128 bits of real chance, in characters that need no quoting. */
  readonly newPassword: () => string;
  readonly intervals?: PollIntervals;
  readonly metrics?: CleanupMetrics;
  readonly controller?: ControllerOptions;
}

/** Observes, decides and acts for one CloudDatabase at a time. */
export class CloudDatabaseReconciler {
  private readonly options: CloudDatabaseOptions;
  private readonly intervals: PollIntervals;
  private readonly metrics: CleanupMetrics;
  private readonly terminating: TerminatingGauge;
  private readonly statuses: SealedStatuses<CloudDatabase>;

  constructor(options: CloudDatabaseOptions) {
    this.statuses = new SealedStatuses(databaseMemory, options.seals);
    this.options = options;
    this.intervals = options.intervals ?? usualIntervals;
    this.metrics = options.metrics ?? noCleanupMetrics;
    this.terminating = new TerminatingGauge(cloudDatabases.kind, this.metrics);
  }

  /** One reconcile of the object at this key: at its end the next look is known. */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const stored = context.cache.get(cloudDatabases, key);
    if (stored && !this.statuses.trusts(stored)) return this.statuses.putRight(stored, context);
    const { beganAt, ...looking } = sinceFirstLook(context);
    const seen = await observeDatabase(key, { ...context, ...looking }, this.options.providers);
    this.terminating.note(key, seen?.database.metadata.deletionTimestamp !== undefined);
    if (seen === undefined) return awaitChange();
    // The account's limit is no failure and says nothing about this database: nothing is decided or shown, and it waits for its turn.
    if (seen.lookup.kind === 'failed' && seen.lookup.error.code === 'RateLimited')
      return this.laterFor(seen.lookup.error, context);
    // A clock that was set back meanwhile must not make the pause until the next look longer by that.
    const now = Math.min(beganAt(), context.clock.now());
    const { intervals } = this;
    const inputs = { now, random: context.random(), newPassword: this.options.newPassword(), intervals };
    const decision = decideDatabase(seen, inputs);
    const { result, failure } = await this.perform(seen, decision, context);
    return this.conclude({ seen, decision, result, failure }, context);
  }

  /** Carries the decision out, and writes each call's outcome as soon as it is known. */
  private async perform(
    { database, account }: DatabaseObservation,
    decision: DatabaseDecision,
    context: ReconcileContext,
  ): Promise<{ readonly result: Result; readonly failure: ExternalError | undefined }> {
    let failure: ExternalError | undefined;
    const call = async (wanted: ExternalCall<DatabaseRequest>, signal: AbortSignal): Promise<void> => {
      if (account instanceof ExternalError) throw account;
      const outcome: DatabaseOutcome = await carryOut(wanted, account.system, { ...context, signal });
      failure ??= outcome.error;
      let event: Announcement | undefined;
      const learn = (fresh: CloudDatabase): CloudDatabaseStatus => {
        const status = statusAfter(fresh, outcome, context.clock.now());
        event = outcome.error && callFailedEvent(fresh, status);
        return status;
      };
      const { sealed: seal } = this.statuses;
      await writeBack({ descriptor: cloudDatabases, object: database, statusAfter: learn, seal }, context);
      // That a call waits for its turn is no failure.
      if (event && outcome.error?.code !== 'RateLimited') context.events.publish({ ...event, regarding: database });
    };
    return { result: await execute(decision, context, { call, seal: this.statuses.sealed }), failure };
  }

  /** After a failure that may pass by itself the runtime's back-off applies; one that needs a user to act is looked at slowly. */
  private conclude(
    done: {
      readonly seen: DatabaseObservation;
      readonly decision: DatabaseDecision;
      readonly result: Result;
      readonly failure: ExternalError | undefined;
    },
    context: ReconcileContext,
  ): Result {
    const { seen, decision, result } = done;
    const { database, lookup } = seen;
    const failure = done.failure ?? (lookup.kind === 'failed' ? lookup.error : undefined);
    const deletedAt = instantOf(database.metadata.deletionTimestamp);
    if (deletedAt !== undefined && failure) this.metrics.failed(cloudDatabases.kind, failure.code);
    if (deletedAt !== undefined && decision.actions.some(({ kind }) => kind === 'removeFinalizer')) {
      this.metrics.finished(cloudDatabases.kind, Math.max(0, context.clock.now() - deletedAt) / 1_000);
    }
    if (failure === undefined) return result;
    if (failure.code === 'RateLimited') return this.laterFor(failure, context);
    if (failure.retry === 'backoff') throw failure;
    return requeueAfter(jittered(this.intervals.steadyMs, context.random()));
  }

  private laterFor({ retryAfterMs = 1_000 }: ExternalError, context: ReconcileContext): Result {
    return requeueAfter(jittered(retryAfterMs, context.random()));
  }
}
