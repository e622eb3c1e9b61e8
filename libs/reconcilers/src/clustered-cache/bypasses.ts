import type { ClusteredCacheStatus } from '@ordinal/api';
import type { Finding, Instant } from '@ordinal/client';
import { conditionOf, withFindings } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import type { ExposedMembers } from './exposed-members.ts';
import { exposedMembersAfter } from './exposed-members.ts';
import type { HeldPods } from './held-pods.ts';
import { heldPodsAfter } from './held-pods.ts';
import type { CacheObservation } from './observe.ts';

/**
 * The decision with what others have done past the gates, and with the records that show it the next time: who is held, and who is exposed. Undefined where the pods have to be looked at once
 * more first. Pure.
 */
export function withBypasses(seen: CacheObservation, decision: Decision, now: Instant): Decision | undefined {
  const { status: write, actions, events = [] } = decision;
  if (!write) return decision;
  const { held, bypasses: ofHeld, needsConfirmation } = heldPodsAfter(seen, actions);
  const { exposed, bypasses: ofExposed, needsConfirmation: isToLookAt } = exposedMembersAfter(seen);
  const status = write.status as ClusteredCacheStatus; // Of a decision about a ClusteredCache.
  const isNew = needsConfirmation && (status.upgrade !== undefined || ofHeld.length > 0);
  if ((isNew || isToLookAt) && !seen.isConfirmed) return undefined;
  const recorded = withRecords(status, { held, exposed });
  const message = [...ofHeld, ...ofExposed].join('; ');
  if (message === '') return { ...decision, status: { ...write, status: recorded } };
  const finding: Finding = { type: 'GateBypassed', status: 'True', reason: 'GateBypassed', message };
  const at = { now, generation: seen.cache.metadata.generation };
  const conditions = withFindings(asBefore(recorded.conditions, seen), [finding], at);
  return {
    ...decision,
    status: { ...write, status: { ...recorded, conditions } },
    events: [...events, { type: 'Warning', reason: 'GateBypassed', note: message }],
  };
}

/** A bypass that is reported again while an upgrade begins was never over. */
function asBefore(conditions: ClusteredCacheStatus['conditions'], { cache }: CacheObservation) {
  const before = conditionOf(cache.status?.conditions, 'GateBypassed');
  return conditions?.map((condition) => (condition.type === 'GateBypassed' && before ? before : condition));
}

function withRecords(
  { exposed: _earlier, ...others }: ClusteredCacheStatus,
  { held, exposed }: Pick<HeldPods, 'held'> & Pick<ExposedMembers, 'exposed'>,
): ClusteredCacheStatus {
  return {
    ...others,
    ...(others.upgrade ? { upgrade: withHeld(others.upgrade, held) } : {}),
    ...(exposed.length === 0 ? {} : { exposed }),
  };
}

function withHeld(
  upgrade: NonNullable<ClusteredCacheStatus['upgrade']>,
  held: HeldPods['held'],
): NonNullable<ClusteredCacheStatus['upgrade']> {
  const { held: _before, ...others } = upgrade;
  return held.length === 0 ? others : { ...others, held };
}
