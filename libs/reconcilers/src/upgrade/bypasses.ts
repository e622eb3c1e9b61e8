import type { Condition, Finding, Instant } from '@ordinal/client';
import { conditionOf, withFindings } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import type { Upgradable } from './upgradable.ts';

/** The condition that is true after a member was taken down past its gates, until the next upgrade begins; and the reason of its events. */
export const gateBypassed = 'GateBypassed';

/** What others have done past the gates of an object, one sentence for each member. */
interface Bypassed {
  readonly object: Upgradable;
  readonly bypasses: readonly string[];
}

/** The decision with what others have done past the gates, in condition and event. One that writes no status reports nothing. Pure. */
export function withBypassesReported<C>(
  decision: Decision<C>,
  { object, bypasses }: Bypassed,
  now: Instant,
): Decision<C> {
  const { status: write, events = [] } = decision;
  if (!write || bypasses.length === 0) return decision;
  const status = write.status as NonNullable<Upgradable['status']>; // Of this object's kind.
  const message = bypasses.join('; ');
  const finding: Finding = { type: gateBypassed, status: 'True', reason: gateBypassed, message };
  const at = { now, generation: object.metadata.generation };
  const conditions = withFindings(asBefore(status.conditions, object), [finding], at);
  return {
    ...decision,
    status: { ...write, status: { ...status, conditions } },
    events: [...events, { type: 'Warning', reason: gateBypassed, note: message }],
  };
}

/** A bypass that is reported again while an upgrade begins was never over. */
function asBefore(
  conditions: readonly Condition[] | undefined,
  { status }: Upgradable,
): readonly Condition[] | undefined {
  const before = conditionOf(status?.conditions, gateBypassed);
  return conditions?.map((condition) => (condition.type === gateBypassed && before ? before : condition));
}
