import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import { instantOf } from '@ordinal/client';
import type { ObjectKey } from '@ordinal/client';
import { awaitChange, requeueAfter } from '@ordinal/runtime';
import type { ControllerOptions, ReconcileContext, Result } from '@ordinal/runtime';
import type { Announcement, CleanupMetrics, ExternalCall, PollIntervals, Seals } from '@ordinal/lifecycle';
import {
  ActionError,
  execute,
  carryOut,
  ExternalError,
  jittered,
  noCleanupMetrics,
  sinceFirstLook,
  usualIntervals,
  writeBack,
  SealedStatuses,
} from '@ordinal/lifecycle';
import type { DatabaseProviders, DatabaseRequest } from './database.ts';
import { decideDatabase } from './decide.ts';
import type { DatabaseDecision } from './decide.ts';
import { failedEvent, statusAfterRefusal } from './failure.ts';
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

/** What came of carrying a decision out: when to look again, and how a call has failed. */
interface Performed {
  readonly result: Result;
  readonly failure: ExternalError | undefined;
}

/** Observes, decides and acts for one CloudDatabase at a time. */
export class CloudDatabaseReconciler {
  private readonly options: CloudDatabaseOptions;
  private readonly intervals: PollIntervals;
  private readonly metrics: CleanupMetrics;
  private readonly statuses: SealedStatuses<CloudDatabase>;

  constructor(options: CloudDatabaseOptions) {
    this.statuses = new SealedStatuses(databaseMemory, options.seals);
    this.options = options;
    this.intervals = options.intervals ?? usualIntervals;
    this.metrics = options.metrics ?? noCleanupMetrics;
  }

  /** One reconcile of the object at this key: at its end the next look is known. */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const stored = context.cache.get(cloudDatabases, key);
    if (stored && !this.statuses.trusts(stored)) return this.statuses.putRight(stored, context);
    const { beganAt, ...looking } = sinceFirstLook(context);
    const seen = await observeDatabase(key, { ...context, ...looking }, this.options.providers);
    if (seen === undefined) return awaitChange();
    // The account's limit is no failure and says nothing about this database: nothing is decided or shown, and it waits for its turn.
    if (seen.lookup.kind === 'failed' && seen.lookup.error.code === 'RateLimited')
      return this.laterFor(seen.lookup.error, context);
    // A clock that was set back meanwhile must not make the pause until the next look longer by that.
    const now = Math.min(beganAt(), context.clock.now());
    const { intervals } = this;
    const inputs = { now, random: context.random(), newPassword: this.options.newPassword(), intervals };
    const decision = decideDatabase(seen, inputs);
    const { result, failure } = await this.perform(seen, decision, context).catch((refusal: unknown) =>
      this.refused(seen.database, refusal, context),
    );
    return this.conclude({ seen, decision, result, failure }, context);
  }

  /** Carries the decision out, and writes each call's outcome as soon as it is known. */
  private async perform(
    { database, account }: DatabaseObservation,
    decision: DatabaseDecision,
    context: ReconcileContext,
  ): Promise<Performed> {
    let failure: ExternalError | undefined;
    const call = async (wanted: ExternalCall<DatabaseRequest>, signal: AbortSignal): Promise<void> => {
      if (account instanceof ExternalError) throw account;
      const outcome: DatabaseOutcome = await carryOut(wanted, account.system, { ...context, signal });
      failure ??= outcome.error;
      const event = await this.learn(database, (fresh) => statusAfter(fresh, outcome, context.clock.now()), context);
      // That a call waits for its turn is no failure.
      if (event && outcome.error?.code !== 'RateLimited') context.events.publish({ ...event, regarding: database });
    };
    return { result: await execute(decision, context, { call, seal: this.statuses.sealed }), failure };
  }

  /** Writes the status that follows from what is known now. Returns the event of the failure that it shows. */
  private async learn(
    database: CloudDatabase,
    statusNow: (fresh: CloudDatabase) => CloudDatabaseStatus,
    context: ReconcileContext,
  ): Promise<Announcement | undefined> {
    let event: Announcement | undefined;
    const following = (fresh: CloudDatabase): CloudDatabaseStatus => {
      const status = statusNow(fresh);
      event = failedEvent(fresh, status);
      return status;
    };
    const { sealed: seal } = this.statuses;
    await writeBack({ descriptor: cloudDatabases, object: database, statusAfter: following, seal }, context);
    return event;
  }

  /** What the API server does not take is shown. What it refuses for good is tried again rarely: quotas, policies and webhooks change. */
  private async refused(database: CloudDatabase, refusal: unknown, context: ReconcileContext): Promise<Performed> {
    // Without a reply there is no API server to write it to.
    if (!(refusal instanceof ActionError) || refusal.code !== 'Refused') throw refusal;
    const { clock, events } = context;
    const event = await this.learn(database, (fresh) => statusAfterRefusal(fresh, refusal, clock.now()), context);
    if (event) events.publish({ ...event, regarding: database });
    if (refusal.retry === 'backoff' || database.metadata.deletionTimestamp !== undefined) throw refusal;
    return { result: requeueAfter(jittered(this.intervals.steadyMs, context.random())), failure: undefined };
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
    // An account that can't be had says itself when it may be there; no provider is asked before it is.
    const { retryAfterMs } = seen.account instanceof ExternalError ? seen.account : {};
    return requeueAfter(jittered(retryAfterMs ?? this.intervals.steadyMs, context.random()));
  }

  private laterFor({ retryAfterMs = 1_000 }: ExternalError, context: ReconcileContext): Result {
    return requeueAfter(jittered(retryAfterMs, context.random()));
  }
}
