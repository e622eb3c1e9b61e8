import type { Value } from '../values/value.ts';
import type { Scope } from './scope.ts';
import type { StaticType } from './types.ts';

/**
 * What cel-go plans a part of an expression as, which its run-time costs depend on: a constant costs nothing. A variable and what is read of it costs one
 * for the variable, but not where a conditional chooses it; a conditional (and `has`) has no such cost.
 */
export type Form = 'constant' | 'attribute' | 'choice' | 'call';

/** An expression that can run, and the type of its value as far as it is known. */
export interface Compiled {
  readonly run: (scope: Scope | undefined) => Value;
  readonly type: StaticType;
  readonly form: Form;
}

/** True where what is read of the value is part of how it was read itself; otherwise reading it costs one more. */
export const isAttribute = ({ form }: Compiled): boolean => form === 'attribute' || form === 'choice';
