import { Meter } from '../cost/meter.ts';
import { callLimit } from '../cost/limits.ts';
import type { Value } from '../values/value.ts';

/** A variable while an expression runs, and those around it. */
export interface Scope {
  readonly name: string;
  readonly value: Value;
  readonly outer: Scope | undefined;
  /** Counts what the evaluation costs; one for all scopes of an evaluation. */
  readonly meter: Meter;
}

/** The value of the nearest variable with the name. */
export function lookUp(scope: Scope | undefined, name: string): Value | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.value;
  return undefined;
}

/** Adds to what the evaluation costs. What is evaluated while the expression is compiled has no scope and costs nothing. */
export function charge(scope: Scope | undefined, cost: number): void {
  scope?.meter.charge(cost);
}

/** A scope with one more variable. */
export function inside(outer: Scope | undefined, name: string, value: Value): Scope {
  return { name, value, outer, meter: outer?.meter ?? new Meter(callLimit) };
}
