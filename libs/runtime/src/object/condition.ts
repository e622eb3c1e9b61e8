import type { Condition, Instant } from '@ordinal/client';

/** What is to be said; the time of the transition is found by comparison. */
export type ConditionInput = Omit<Condition, 'lastTransitionTime'>;

/** A moment as `metav1.Time` has it: whole seconds. */
export function timestamp(at: Instant): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The condition of a type. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The conditions with one of them set, in their old order. `lastTransitionTime` moves only when the condition's status changes (Kubernetes API
 * conventions), so saying the same again gives an equal list, and nothing has to be written.
 */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  input: ConditionInput,
  now: Instant,
): readonly Condition[] {
  const before = conditionOf(conditions, input.type);
  const lastTransitionTime = before?.status === input.status ? before.lastTransitionTime : timestamp(now);
  const condition: Condition = { ...input, lastTransitionTime };
  if (before === undefined) return [...(conditions ?? []), condition];
  return (conditions ?? []).map((one) => (one.type === input.type ? condition : one));
}
