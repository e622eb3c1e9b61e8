import type { Condition, Finding, Instant, KubernetesObject } from '@ordinal/client';
import { conditionOf, withFindings } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';

/** The condition that is true after a member was taken down past its gates, until the next upgrade begins; and the reason of its events. */
export const gateBypassed = 'GateBypassed';

/** What others have done past the gates of an object, one sentence for each member. */
interface Bypassed {
  readonly object: WithConditions;
  readonly bypasses: readonly string[];
  /** Those among the earlier ones that are still to be seen: they stay in the condition, and are in no event again. */
  readonly reported?: readonly string[];
}

interface WithConditions extends Pick<KubernetesObject, 'metadata'> {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The decision with what others have done past the gates, in condition and event. One that writes no status reports nothing. Pure. */
export function withBypassesReported<D extends Decision<unknown>>(
  decision: D,
  { object, bypasses, reported = [] }: Bypassed,
  now: Instant,
): D {
  const { status: write, events = [] } = decision;
  if (!write || bypasses.length === 0) return decision;
  const status = write.status as NonNullable<WithConditions['status']>; // Of this object's kind.
  const message = [...reported, ...bypasses].join('; ');
  const finding: Finding = { type: gateBypassed, status: 'True', reason: gateBypassed, message };
  const at = { now, generation: object.metadata.generation };
  const conditions = withFindings(asBefore(status.conditions, object), [finding], at);
  return {
    ...decision,
    status: { ...write, status: { ...status, conditions } },
    events: [...events, { type: 'Warning', reason: gateBypassed, note: bypasses.join('; ') }],
  };
}

/** A bypass that is reported again while an upgrade begins was never over. */
function asBefore(
  conditions: readonly Condition[] | undefined,
  { status }: WithConditions,
): readonly Condition[] | undefined {
  const before = conditionOf(status?.conditions, gateBypassed);
  return conditions?.map((condition) => (condition.type === gateBypassed && before ? before : condition));
}

/** What was taken down past its gates is over when the next upgrade begins: what the condition says then, where there is one. */
export const bypassesOver = (conditions: readonly Condition[] | undefined): readonly Finding[] =>
  conditionOf(conditions, gateBypassed) === undefined
    ? []
    : [{ type: gateBypassed, status: 'False', reason: 'NewUpgrade', message: '' }];
