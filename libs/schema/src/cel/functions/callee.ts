import type { StaticType } from '../compile/types.ts';
import type { Value } from '../values/value.ts';

/** A function: how many arguments it takes (the target of a method counts), and what it gives. */
export interface Callee {
  readonly arity: readonly number[];
  /** Undefined where no overload takes these arguments. Throws CelError where the arguments have no result. */
  readonly apply: (args: readonly Value[]) => Value | undefined;
  /** The type of the result, when it is known. */
  readonly result?: string | ((args: readonly StaticType[]) => StaticType);
}

/** What stands behind a name: a function, a method, or both. */
export interface Named {
  readonly global?: Callee;
  readonly member?: Callee;
}

/** A group of functions by their names. */
export type Library = Readonly<Record<string, Named>>;

type Apply = (...args: readonly Value[]) => Value | undefined;

function callee(arity: number | readonly number[], apply: Apply, result?: Callee['result']): Callee {
  const counts = typeof arity === 'number' ? [arity] : arity;
  return { arity: counts, apply: (args) => apply(...args), ...(result === undefined ? {} : { result }) };
}

/** A function that is called by its name. */
export function global(arity: number | readonly number[], apply: Apply, result?: Callee['result']): Named {
  return { global: callee(arity, apply, result) };
}

/** A method; the target is the first argument and counts in the arity. */
export function method(arity: number | readonly number[], apply: Apply, result?: Callee['result']): Named {
  return { member: callee(arity, apply, result) };
}
