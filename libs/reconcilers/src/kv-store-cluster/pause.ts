import type { Instant } from '@ordinal/client';
import { everyMember } from '@ordinal/lifecycle';
import { pausedAnnotation } from '../annotations.ts';
import { releaseCommand } from '../commands.ts';
import type { Observation } from './observation.ts';
import { clusterNaming, objectOf } from './observation.ts';
import type { DueView } from './upgrade.ts';
import { recordUnderWay, stepOf, viewOf } from './upgrade.ts';
import type { UpgradeRecord, Verdict } from './verdict.ts';

/** The record of an upgrade that waits for a user: it has no deadline, and that counts from when it goes on (I20). */
function paused(due: DueView, why: Pick<Verdict, 'blockedBy' | 'release'>, now: Instant): UpgradeRecord {
  const verdict = { partition: due.record.partition ?? everyMember, step: 'Paused', ...why } as const;
  return stepOf(due, due.record, verdict, now).record;
}

/**
 * The record of an upgrade that is under way while a user has paused its cluster by annotation: it waits for a user, as one does that `spec.upgrade.paused` holds.
 * Undefined where none is under way. Pure.
 */
export function pausedUpgrade(seen: Observation, blockedBy: string, now: Instant): UpgradeRecord | undefined {
  const record = recordUnderWay(seen.cluster);
  if (record === undefined) return undefined;
  const release = `kubectl annotate ${objectOf(seen.cluster)} ${pausedAnnotation}-`;
  return paused({ ...viewOf(seen), record }, { blockedBy, release }, now);
}

/** The record of an upgrade that `spec.upgrade.paused` holds, while it waits for something else as well: at another step it would have a deadline. Pure. */
export function pausedBySpec(due: DueView, now: Instant): UpgradeRecord {
  const about = { object: due.cluster, naming: clusterNaming, rollout: { revision: due.wanted } };
  const release = releaseCommand({ release: 'pause' }, about);
  const blockedBy = 'the upgrade is paused by spec.upgrade.paused';
  return paused(due, { blockedBy, ...(release === undefined ? {} : { release }) }, now);
}
