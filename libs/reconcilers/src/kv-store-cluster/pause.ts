import type { Instant } from '@ordinal/client';
import { everyMember } from '@ordinal/lifecycle';
import { pausedAnnotation } from '../annotations.ts';
import { recordUnderWay } from './lateness.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';
import type { UpgradeRecord } from './verdict.ts';
import { stepOf, viewOf } from './upgrade.ts';

/**
 * The record of an upgrade that is under way while a user has paused its cluster by annotation: it waits for a user, as one does that `spec.upgrade.paused` holds, and
 * its deadline counts from when it goes on (I20). Undefined where none is under way. Pure.
 */
export function pausedUpgrade(seen: Observation, blockedBy: string, now: Instant): UpgradeRecord | undefined {
  const record = recordUnderWay(seen.cluster);
  if (record === undefined) return undefined;
  const release = `kubectl annotate ${objectOf(seen.cluster)} ${pausedAnnotation}-`;
  const verdict = { partition: record.partition ?? everyMember, step: 'Paused', blockedBy, release } as const;
  return stepOf(viewOf(seen), record, verdict, now).record;
}
