import type { ClusteredCacheStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import { withBypassesReported } from '../gate-bypasses.ts';
import type { ExposedMembers } from '../upgrade/exposed-members.ts';
import { exposedFields, exposedMembersAfter } from '../upgrade/exposed-members.ts';
import type { HeldPods } from './held-pods.ts';
import { heldPodsAfter } from './held-pods.ts';
import { membersOf } from './members.ts';
import type { CacheObservation } from './observe.ts';

/**
 * The decision with what others have done past the gates, and with the records that show it the next time: who is held, and who is exposed. Undefined where the pods have to be looked at once
 * more first. Pure.
 */
export function withBypasses(seen: CacheObservation, decision: Decision, now: Instant): Decision | undefined {
  const { status: write, actions } = decision;
  if (!write) return decision;
  const { held, bypasses: ofHeld, needsConfirmation } = heldPodsAfter(seen, actions);
  const ofExposed = exposedMembersAfter(membersOf(seen));
  const status = write.status as ClusteredCacheStatus; // Of a decision about a ClusteredCache.
  const isNew = needsConfirmation && (status.upgrade !== undefined || ofHeld.length > 0);
  if ((isNew || ofExposed.needsConfirmation) && !seen.isConfirmed) return undefined;
  const records = { held, ofExposed, wantedReplicas: seen.cache.spec.replicas };
  const recorded = { ...decision, status: { ...write, status: withRecords(status, records) } };
  return withBypassesReported(recorded, { object: seen.cache, bypasses: [...ofHeld, ...ofExposed.bypasses] }, now);
}

interface Records extends Pick<HeldPods, 'held'> {
  readonly ofExposed: ExposedMembers;
  readonly wantedReplicas: number;
}

function withRecords(
  { exposed: _earlier, shrinkingFrom, ...others }: ClusteredCacheStatus,
  { held, ofExposed, wantedReplicas }: Records,
): ClusteredCacheStatus {
  return {
    ...others,
    ...(others.upgrade ? { upgrade: withHeld(others.upgrade, held) } : {}),
    ...exposedFields(shrinkingFrom, ofExposed, wantedReplicas),
  };
}

function withHeld(
  upgrade: NonNullable<ClusteredCacheStatus['upgrade']>,
  held: HeldPods['held'],
): NonNullable<ClusteredCacheStatus['upgrade']> {
  const { held: _before, ...others } = upgrade;
  return held.length === 0 ? others : { ...others, held };
}
