import { objectBudget } from '../cost/limits.ts';
import { CostExceeded } from '../cost/meter.ts';
import { CelError } from '../values/error.ts';
import type { Value } from '../values/value.ts';

/** What the rules on one object may still cost together. Once it is used up no further rule runs. */
export class Budget {
  #left = objectBudget;
  #exhausted = false;

  /** Units that are left. */
  get left(): number {
    return this.#left;
  }

  /** True when no further rule is to run. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /** Takes the cost off. False when it is more than is left: the budget is exhausted then. */
  spend(cost: number): boolean {
    if (cost > this.#left) this.#exhausted = true;
    else this.#left -= cost;
    return !this.#exhausted;
  }

  /** Lets no further rule run. */
  exhaust(): void {
    this.#exhausted = true;
  }
}

/**
 * The value, or why there is none. What an evaluation has no room for in memory or on the stack counts as too dear as well; costs bound both in all but
 * contrived cases.
 */
export function evaluate(run: () => Value): Value | CelError | CostExceeded {
  try {
    return run();
  } catch (error) {
    if (error instanceof CelError || error instanceof CostExceeded) return error;
    if (error instanceof RangeError) return new CostExceeded();
    throw error;
  }
}
