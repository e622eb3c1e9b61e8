import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { isSuspended } from '@ordinal/lifecycle';
import { upgradePolicy } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { pausedBySpec } from './pause.ts';
import { observeUpgrade } from './rollout-observation.ts';
import { fail, failureByDeadline } from './rollout-step.ts';
import type { DueView, UpgradeStep, UpgradeView } from './upgrade.ts';
import type { UpgradeRecord } from './verdict.ts';
import { deadlineOf, isComplete, recordFor, recordUnderWay, viewOf } from './upgrade.ts';

/** What the deadline of an upgrade does while nothing else is decided about its cluster. */
export interface Lateness extends Pick<UpgradeStep, 'failed' | 'events' | 'lookAgainAt'> {
  readonly record: UpgradeRecord | undefined;
  /** What the upgrade leads to. */
  readonly toRevision: string;
}

/** The deadline of the upgrade that the status records; undefined where none is under way, or it waits for a person or for a bake time. */
export function recordedDeadline(cluster: KVStoreCluster): Instant | undefined {
  const record = recordUnderWay(cluster);
  return record && deadlineOf(cluster, record);
}

/**
 * What the deadline says of the upgrade that the status records: it is examined in every reconcile (I19), also where nothing can be done about the upgrade itself. What
 * the spec asks for instead by now is not begun, and what has failed is put back when something can be done again. Undefined where no upgrade is under way. Pure.
 */
export function latenessOf(seen: Observation, now: Instant): Lateness | undefined {
  const { toRevision } = recordUnderWay(seen.cluster) ?? {};
  if (toRevision === undefined) return undefined;
  const view: UpgradeView = { ...viewOf(seen), wanted: toRevision };
  if (isComplete(view)) return undefined;
  const due = onRecord(seen, { ...view, record: recordFor(view, now) }, now);
  const { record } = due;
  const failed = failureByDeadline(seen, due, now);
  if (failed) return { ...fail(seen, due, failed), toRevision };
  const deadline = deadlineOf(seen.cluster, record);
  return { record, toRevision, events: [], ...(deadline === undefined ? {} : { lookAgainAt: deadline }) };
}

/** What is recorded from now on. One that is not paused any more waits because of a problem now: that counts from here. */
function onRecord(seen: Observation, due: DueView, now: Instant): DueView {
  if (isSuspended(observeUpgrade(seen, { view: due }, { now, isShrinking: false })))
    return { ...due, record: pausedBySpec(due, now) };
  if (due.record.step !== 'Paused' || upgradePolicy(seen.cluster).paused) return due;
  const { step: _step, blockedBy: _blockedBy, release: _release, ...rest } = due.record;
  return { ...due, record: { ...rest, since: timestamp(now), lastProgressAt: timestamp(now) } };
}
