import { sleep } from '@ordinal/client';
import type { Clock, Instant } from '@ordinal/client';
import { ExternalError } from './error.ts';
import type { ExternalSystem, ExternalView } from './system.ts';

/** How often a provider's account may be called. */
export interface RateLimit {
  /** Calls per second in the long run. */
  readonly perSecond: number;
  /** Calls that may be made at once after a rest. */
  readonly burst: number;
}

/**
 * A limit that lets no more calls through than this in any second, whenever that begins. What is let through at once after a rest counts too, and
 * so does what the network delays and then delivers together: a twentieth is left for it.
 */
export function withinEachSecond(calls: number): RateLimit {
  return { perSecond: calls * 0.85, burst: Math.max(1, Math.floor(calls * 0.1)) };
}

/**
 * Spaces calls out in the order in which they ask. One for each provider account, shared by all resources that use it.
 */
export class RateLimiter {
  private readonly clock: Clock;
  private readonly limit: RateLimit;
  private readonly maxWaitMs: number;
  /** When the call after those that were let through is due; in the past after a rest. */
  private due: Instant;

  /** No call waits longer than `maxWaitMs`: one that would have to is refused with `RateLimited`, so that no worker is held up. */
  constructor(clock: Clock, limit: RateLimit, maxWaitMs = 2_000) {
    this.clock = clock;
    this.limit = limit;
    this.maxWaitMs = maxWaitMs;
    this.due = -Infinity;
  }

  /** Resolves when the call may be made. Throws an `ExternalError` with code `RateLimited` where that would take too long. */
  async acquire(signal: AbortSignal): Promise<void> {
    const spacing = 1_000 / this.limit.perSecond;
    const now = this.clock.now();
    const due = Math.max(this.due, now - (this.limit.burst - 1) * spacing);
    const waitMs = due - now;
    if (waitMs > this.maxWaitMs) {
      const message = `the provider account's limit of ${this.limit.perSecond} calls a second is used up`;
      throw new ExternalError('RateLimited', message, { applied: 'no', retryAfterMs: waitMs });
    }
    this.due = due + spacing;
    if (waitMs > 0) await sleep(this.clock, waitMs, signal);
  }
}

/** The system, with each call waiting for the limiter first. The limiter is called back when the call has ended, with its error where it failed. */
export function rateLimited<Desired, View extends ExternalView>(
  system: ExternalSystem<Desired, View>,
  limiter: Pick<RateLimiter, 'acquire'> & { ended?(error?: unknown): void },
): ExternalSystem<Desired, View> {
  const after = async <Reply>(signal: AbortSignal, call: () => Promise<Reply>): Promise<Reply> => {
    await limiter.acquire(signal);
    try {
      const reply = await call();
      limiter.ended?.();
      return reply;
    } catch (error) {
      limiter.ended?.(error);
      throw error;
    }
  };
  const { findByName } = system;
  return {
    traits: system.traits,
    get: (id, signal) => after(signal, () => system.get(id, signal)),
    findByOwner: (owner, signal) => after(signal, () => system.findByOwner(owner, signal)),
    ...(findByName && { findByName: (name, signal) => after(signal, () => findByName.call(system, name, signal)) }),
    create: (request, signal) => after(signal, () => system.create(request, signal)),
    update: (id, change, signal) => after(signal, () => system.update(id, change, signal)),
    delete: (request, signal) => after(signal, () => system.delete(request, signal)),
  };
}
