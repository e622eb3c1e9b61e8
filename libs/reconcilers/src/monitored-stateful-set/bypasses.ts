import type { MonitoredStatefulSetStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import { withBypassesReported } from '../gate-bypasses.ts';
import { exposedFields, exposedMembersAfter } from '../upgrade/exposed-members.ts';
import { isForeign } from './children.ts';
import { endingMembersAfter } from './ending.ts';
import { membersOf } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';

/**
 * The decision with what others have done past the gates of a set that the operator upgrades, and with the records that show it the next time: who ends, and who is exposed. Undefined where the
 * pods have to be looked at once more first. Pure.
 */
export function withBypasses<C>(
  seen: MonitoredSetObservation,
  decision: Decision<C>,
  now: Instant,
): Decision<C> | undefined {
  const { set, statefulSet, isConfirmed } = seen;
  const { status: write, actions } = decision;
  const isUpgraded = set.spec.upgrade !== undefined && set.metadata.deletionTimestamp === undefined;
  if (!write || !isUpgraded || isForeign(statefulSet, set)) return decision;
  const members = membersOf(seen);
  const { ending, ...ofEnding } = endingMembersAfter(seen, actions);
  const ofExposed = exposedMembersAfter(members);
  if ((ofEnding.needsConfirmation || ofExposed.needsConfirmation) && !isConfirmed) return undefined;
  const { exposed: _exposed, ending: _ending, shrinkingFrom, ...status } = write.status as MonitoredStatefulSetStatus; // Of a decision about a set.
  const recorded = {
    ...status,
    ...exposedFields(shrinkingFrom, ofExposed, members.wantedReplicas),
    ...(ending.length === 0 ? {} : { ending }),
  };
  const bypasses = [...ofEnding.bypasses, ...ofExposed.bypasses];
  return withBypassesReported(
    { ...decision, status: { ...write, status: recorded } },
    { object: members.object, bypasses },
    now,
  );
}
