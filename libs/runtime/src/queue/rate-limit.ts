import type { Clock, Instant } from '@ordinal/client';

/** So many for each second on average, and so many at once after a pause. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A bucket of tokens that fills as time passes. */
export class TokenBucket {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  #tokens: number;
  #at: Instant;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#at = clock.now();
  }

  /** Whether it is as full as it was made: nothing is lost where it is forgotten. */
  get isFull(): boolean {
    return this.#tokens + ((this.#clock.now() - this.#at) / 1000) * this.#limit.perSecond >= this.#limit.burst;
  }

  /** Takes a token. 0 where there was one; otherwise how long to wait for the next, in milliseconds, and none is taken. */
  take(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#at) / 1000) * this.#limit.perSecond);
    this.#at = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1000) / this.#limit.perSecond);
    this.#tokens -= 1;
    return 0;
  }
}
