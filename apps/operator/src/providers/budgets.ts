import { createHash } from 'node:crypto';
import type { Clock } from '@ordinal/client';
import type { RateLimit } from '@ordinal/lifecycle';
import { ExternalError, RateLimiter } from '@ordinal/lifecycle';

/** So many budgets are remembered; the oldest goes first. */
const maxBudgets = 4_096;

interface Budget {
  readonly limiter: RateLimiter;
  isAccepted: boolean;
}

/**
 * How often providers may be called. What a Secret says of itself proves nothing: credentials have a budget of their own from the first call that the provider
 * answered, until it refuses them. Before that, all calls of a namespace share one.
 */
export class Budgets {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #byCredentials = new Map<string, Budget>();
  readonly #byNamespace = new Map<string, RateLimiter>();

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** The budget of calls with these credentials, for as long as they are not accepted on behalf of this namespace. */
  of(
    credentials: readonly string[],
    namespace: string,
  ): Pick<RateLimiter, 'acquire'> & { ended(error?: unknown): void } {
    const digest = createHash('sha256').update(JSON.stringify(credentials)).digest('base64');
    const own = remembered(this.#byCredentials, digest, () => ({ limiter: this.#limiter(), isAccepted: false }));
    const shared = remembered(this.#byNamespace, namespace, () => this.#limiter());
    return {
      acquire: (signal) => (own.isAccepted ? own.limiter : shared).acquire(signal),
      ended: (error) => {
        if (error === undefined) own.isAccepted = true;
        else if (error instanceof ExternalError && (error.code === 'Unauthorized' || error.code === 'Forbidden'))
          own.isAccepted = false;
      },
    };
  }

  #limiter(): RateLimiter {
    return new RateLimiter(this.#clock, this.#limit);
  }
}

function remembered<T>(all: Map<string, T>, key: string, make: () => T): T {
  const value = all.get(key) ?? make();
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > maxBudgets && oldest !== undefined) all.delete(oldest);
  return value;
}
