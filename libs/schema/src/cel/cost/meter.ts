/** The evaluation costs more than it may: it is given up, whatever else is in the expression. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Counts the cost of one evaluation in the units of cel-go (`interpreter/runtimecost.go`). */
export class Meter {
  readonly #limit: number;
  #spent = 0;

  /** `limit` is the highest cost that is let pass. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What the evaluation has cost so far; also more than the limit when that was exceeded. */
  get spent(): number {
    return this.#spent;
  }

  /** Adds a cost, which is below zero for what was counted too much. Throws {@link CostExceeded} beyond the limit. */
  charge(cost: number): void {
    this.#spent += cost;
    if (this.#spent > this.#limit) throw new CostExceeded();
  }
}

/** The longest text that a function may make, in UTF-16 units. Costs count what a function reads, not what it writes. */
const longestText = 16 * 1024 * 1024;

/** Throws {@link CostExceeded} for the length of a text that is not to be made. */
export function boundText(length: number): void {
  if (length > longestText) throw new CostExceeded();
}
