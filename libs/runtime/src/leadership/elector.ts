import { isApiError, sleep } from '@ordinal/client';
import type { Client, Clock, Instant, Random, Timer } from '@ordinal/client';
import { compareRevisions } from '../cache/revision.ts';
import { messageOf } from '../cache/watch-failure.ts';
import { Deadline } from '../controller/deadline.ts';
import { RuntimeError } from '../error.ts';
import type { RuntimeMetrics } from '../metrics/metrics.ts';
import type { Logger } from '../reconciler.ts';
import { Lease } from './lease.ts';
import type { LeaseState } from './lease.ts';
import type { Claim, SeenSlot } from './slot-plan.ts';

/** How leadership is held. Durations in milliseconds. */
export interface LeadershipOptions {
  /** A client with a transport of its own, so that a busy operator never starves its lease. The manager's by default. */
  readonly client?: Client;
  readonly namespace: string;
  readonly name: string;
  /** A lease that was not renewed for so long may be taken. 15 s by default; the API knows whole seconds. */
  readonly leaseMs?: number;
  /** A leader that could not renew for so long begins no more writes. Less than `leaseMs`; 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** How often a leader renews and a standby looks. 2 s by default. */
  readonly retryMs?: number;
  /**
   * How many slots the replicas share the work in, each with a lease of its own beside this one. 1 by default: one replica leads, and the others stand by. Replicas
   * with different numbers never work side by side.
   */
  readonly slots?: number;
}

/** What an elector runs on. */
export interface ElectorOptions extends LeadershipOptions {
  readonly client: Client;
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics;
  /** The lease was shown in an older state than one that was first seen at `knownSince`: the API server's store was restored after it. */
  readonly onRestored: (knownSince: Instant) => void;
  /** The identity is that of a group of processes: each renews the lease for all of them, and none gives it back. */
  readonly isGroup?: boolean;
  /** Whether this process wants the lease now. Absent: always, and it gives it up for no one. */
  readonly claim?: () => Claim;
}

/** How a lease was taken. */
interface Acquired {
  /** Another holder, which did not give it back. */
  readonly from?: string;
}

/** Timers that are due at the same time may fire a little apart. */
const timersDifferMs = 10;

/** In a row, a renewal that other writes of the lease overtake is tried so often. */
const renewalsInARow = 5;

/**
 * Takes part in an election for as long as it runs. While it holds the lease it leads; when it can't renew in time it lets all writes be refused
 * first, then ends the work, and stands for election again. It gives the lease back only after the work has come to its end.
 *
 * A lease that goes back to an older state shows that the API server's store was restored: the holder that it names then may have been deposed since, and another one
 * may still act. So no process takes it, not even the one that it names, before it has stood still for as long as a lease holds; who holds it, keeps it.
 *
 * A lease has run out when it has not changed for its duration by this process's own timers, so clocks need not agree. A holder's time is over by its timers and by its clock, whichever
 * comes first: a clock that is set makes neither longer, and a process that was stopped in its tracks notices by the clock.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryMs: number;
  /** Until when writes may be begun; counted from before the renewal was sent. */
  #validUntil: Instant = 0;
  #expiry: Timer | undefined;
  #state: LeaseState | undefined;
  #observedAt: Instant = 0;
  #standing: Timer | undefined;
  /** Whether the lease has stood still for as long as it holds. */
  #ranOut = false;
  #wentBack = false;
  #hasRead = false;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#lease = new Lease(options.client, options.namespace, options.name);
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryMs ?? 2_000;
    // What no process says 1 of shows that no one leads.
    options.metrics.leading(options.name, false);
    if (this.#renewDeadlineMs >= this.#leaseMs || this.#retryMs >= this.#renewDeadlineMs) {
      throw new RangeError(
        `lease ${options.name}: retryMs (${this.#retryMs}) < renewDeadlineMs (${this.#renewDeadlineMs}) < leaseMs (${this.#leaseMs}) has to hold`,
      );
    }
  }

  /** The lease as it was read last; undefined before that. */
  get seen(): SeenSlot | undefined {
    if (!this.#hasRead) return undefined;
    const { holder, wantedBy } = this.#state ?? { holder: '', wantedBy: '' };
    if (this.#state !== undefined && !this.#mayTake(this.#state)) return { holder, wantedBy, freeMs: 0 };
    if (holder === this.#options.identity) return { holder, wantedBy, freeMs: 0 };
    return { holder: '', wantedBy, freeMs: this.#options.clock.now() - this.#observedAt };
  }

  /** Whether this process leads now. */
  get leads(): boolean {
    return this.#options.clock.now() < this.#validUntil;
  }

  /** Throws a `RuntimeError` (`NotLeading`) unless this process leads now. */
  permitWrite(): void {
    if (this.leads) return;
    throw new RuntimeError(
      'NotLeading',
      `${this.#options.identity} does not hold the lease ${this.#options.name}: no write is begun`,
    );
  }

  /**
   * Runs until the signal is aborted. `lead` is called each time the lease is won; it has to come to its end when its signal is aborted, after
   * which the lease is given back or contested again.
   */
  async run(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const acquired = await this.#acquire(signal);
      if (acquired) await this.#term(signal, lead, acquired);
      else await this.#pause(signal);
    }
    this.#standing?.cancel();
  }

  /** Until the next look: soon, and no later than the time at which the present holder's lease runs out. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random, identity } = this.#options;
    const retryMs = this.#retryMs * (0.8 + 0.4 * random());
    const state = this.#state;
    const held = state !== undefined && state.holder !== '' && state.holder !== identity;
    const runsOutMs = held ? this.#observedAt + state.durationMs - clock.now() + timersDifferMs : retryMs;
    await sleep(clock, runsOutMs > 0 ? Math.min(retryMs, runsOutMs) : retryMs, signal).catch(() => undefined);
  }

  /** One try. Says who held the lease before; undefined where it is not this process's now. */
  async #acquire(signal: AbortSignal): Promise<Acquired | undefined> {
    const { clock, log, identity } = this.#options;
    const deadline = new Deadline(clock, this.#renewDeadlineMs, signal);
    try {
      const seen = await this.#lease.read(deadline.signal);
      this.#observe(seen);
      this.#hasRead = true;
      const claim = this.#options.claim?.() ?? 'take';
      if (seen !== undefined && claim === 'ask') this.#observe(await this.#lease.ask(identity, seen, deadline.signal));
      if (claim !== 'take' || (seen !== undefined && !this.#mayTake(seen))) return undefined;
      await this.#claim(deadline.signal);
      return seen === undefined || seen.holder === '' || seen.holder === identity ? {} : { from: seen.holder };
    } catch (error) {
      if (!signal.aborted && !isApiError(error, 'Conflict', 'AlreadyExists')) {
        log.warn({ lease: this.#options.name, error: messageOf(error) }, 'the lease can not be read or written');
      }
      return undefined;
    } finally {
      deadline.clear();
    }
  }

  #observe(seen: LeaseState | undefined): void {
    const before = this.#state;
    this.#state = seen;
    if (seen?.resourceVersion === before?.resourceVersion) return;
    const knownSince = this.#observedAt;
    this.#observedAt = this.#options.clock.now();
    this.#wentBack =
      seen !== undefined && before !== undefined && compareRevisions(seen.resourceVersion, before.resourceVersion) < 0;
    this.#standing?.cancel();
    this.#ranOut = false;
    if (seen !== undefined)
      this.#standing = this.#options.clock.after(this.#heldForMs(seen), () => {
        this.#ranOut = true;
      });
    if (this.#wentBack) this.#options.onRestored(knownSince);
  }

  /** Whether no other process may hold it. */
  #mayTake(seen: LeaseState): boolean {
    const mayHold = this.#wentBack || (seen.holder !== '' && seen.holder !== this.#options.identity);
    return !mayHold || this.#ranOut;
  }

  #heldForMs(seen: LeaseState): number {
    // The holder's own duration counts: replicas of two versions may have different ones.
    return this.#wentBack ? Math.max(seen.durationMs, this.#leaseMs) : Math.max(seen.durationMs, 1_000);
  }

  /** Writes this process into the lease. From the time at which it was sent, the lease holds. */
  async #claim(signal: AbortSignal): Promise<void> {
    const { clock, identity } = this.#options;
    const sentAt = clock.now();
    const claim = { holder: identity, durationMs: this.#leaseMs, now: sentAt };
    const before = this.#state;
    let isOver = false;
    const expiry = clock.after(this.#renewDeadlineMs, () => {
      isOver = true;
      this.#validUntil = 0;
    });
    try {
      this.#observe(
        before === undefined ? await this.#lease.create(claim, signal) : await this.#lease.claim(claim, before, signal),
      );
    } catch (error) {
      expiry.cancel();
      throw error;
    }
    this.#expiry?.cancel();
    this.#expiry = expiry;
    this.#validUntil = isOver ? 0 : sentAt + this.#renewDeadlineMs;
  }

  async #term(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>, acquired: Acquired): Promise<void> {
    const { log, metrics, name, identity } = this.#options;
    log.info({ lease: name, identity, ...acquired }, 'leading');
    metrics.leading(name, true);
    const leading = new AbortController();
    const end = (): void => leading.abort(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    const worked = new AbortController();
    const renewing = this.#renew(leading, worked.signal);
    try {
      await lead(leading.signal);
    } finally {
      worked.abort();
      await renewing;
      signal.removeEventListener('abort', end);
      metrics.leading(name, false);
      if (this.leads && this.#options.isGroup !== true) await this.#release();
      this.#validUntil = 0;
      this.#expiry?.cancel();
      const { aborted, reason } = leading.signal;
      log.info({ lease: name, identity, ...(aborted && { reason: messageOf(reason) }) }, 'not leading any more');
    }
  }

  /** Renews until the work has ended. Ends it when that did not succeed in time; and where another process asks for the lease, which is held until the work has ended. */
  async #renew(leading: AbortController, worked: AbortSignal): Promise<void> {
    const { clock, name, claim } = this.#options;
    while (!worked.aborted) {
      await sleep(clock, Math.min(this.#retryMs, Math.max(0, this.#validUntil - clock.now())), worked).catch(
        () => undefined,
      );
      if (worked.aborted) return;
      if (!this.leads || !(await this.#renewOnce(worked))) {
        this.#validUntil = 0;
        leading.abort(new RuntimeError('NotLeading', `the lease ${name} was not renewed in time`));
        return;
      }
      const wantedBy = claim === undefined ? '' : this.#state?.wantedBy;
      if (wantedBy !== undefined && wantedBy !== '' && wantedBy !== this.#options.identity)
        leading.abort(new RuntimeError('NotLeading', `the lease ${name} is handed over to ${wantedBy}`));
    }
  }

  /** One renewal. False where the lease is lost; true also for a failure that leaves time for another try. */
  async #renewOnce(worked: AbortSignal): Promise<boolean> {
    const { clock, log, name } = this.#options;
    const deadline = new Deadline(clock, Math.max(0, this.#validUntil - clock.now()), worked);
    try {
      for (let tries = 1; ; tries += 1) {
        const failed = await this.#claim(deadline.signal).catch((error: unknown) => ({ error }));
        if (failed === undefined || worked.aborted) return true;
        const isOvertaken = isApiError(failed.error, 'Conflict', 'NotFound');
        const holds = isOvertaken ? await this.#stillHolds(deadline.signal) : undefined;
        // Another client wrote the lease. It may have been this process, by a renewal whose reply was lost; one that asks for it; or another one of the group.
        if (holds === true && tries < renewalsInARow) continue;
        log.warn({ lease: name, error: messageOf(failed.error) }, 'the lease was not renewed');
        return holds ?? this.leads;
      }
    } finally {
      deadline.clear();
    }
  }

  /** After a conflict. Undefined where that can't be found out now. */
  async #stillHolds(signal: AbortSignal): Promise<boolean | undefined> {
    try {
      const seen = await this.#lease.read(signal);
      this.#observe(seen);
      return seen?.holder === this.#options.identity && this.leads;
    } catch {
      return undefined;
    }
  }

  async #release(): Promise<void> {
    const { clock, log, name } = this.#options;
    const before = this.#state;
    if (before === undefined) return;
    const deadline = new Deadline(clock, Math.max(0, this.#validUntil - clock.now()), new AbortController().signal);
    try {
      this.#state = await this.#lease.claim(
        { holder: '', durationMs: 1_000, now: clock.now() },
        before,
        deadline.signal,
      );
    } catch (error) {
      log.warn(
        { lease: name, error: messageOf(error) },
        'the lease was not given back: the next leader waits until it runs out',
      );
    } finally {
      deadline.clear();
    }
  }
}
