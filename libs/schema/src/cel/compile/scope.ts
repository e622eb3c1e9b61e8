import type { Value } from '../values/value.ts';

/** A variable while an expression runs, and those around it. */
export interface Scope {
  readonly name: string;
  readonly value: Value;
  readonly outer: Scope | undefined;
}

/** The value of the nearest variable with the name. */
export function lookUp(scope: Scope | undefined, name: string): Value | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.value;
  return undefined;
}
