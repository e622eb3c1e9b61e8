import { timestamp } from '@ordinal/client';
import type { Announcement, Progress } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import type { UpgradeFindings } from './record.ts';
import type { Upgradable } from './upgradable.ts';

/** An upgrade begins: to something else than before, or once more to what has failed. */
const begins = ({ revision, step }: Progress, before: Upgradable['status']): boolean =>
  revision !== before?.upgrade?.revision || (before.upgrade.step === 'Failed' && step !== 'Failed');

/** Events, on transitions only: each goes with a change of the status that the same decision writes first. */
export function upgradeEvents({
  object,
  wanted,
  rollout,
  outcome,
}: Pick<UpgradeFindings, 'object' | 'wanted' | 'rollout' | 'outcome'>): Announcement[] {
  const before = object.status?.upgrade;
  const emitted: Announcement[] = [...retries.events(object)];
  if (rollout.progress && begins(rollout.progress, object.status)) {
    const reason = wanted.rollingBack ? 'RollingBack' : 'UpgradeStarted';
    emitted.push({
      type: wanted.rollingBack ? 'Warning' : 'Normal',
      reason,
      note: `to ${wanted.image}, since ${timestamp(rollout.progress.startedAt)}`,
    });
  }
  if (outcome?.step === 'TakingDown' && (before?.step !== 'TakingDown' || before.podUID !== outcome.member?.uid)) {
    emitted.push({ type: 'Normal', reason: 'TakingDown', note: outcome.message });
  }
  if (before && !outcome) {
    emitted.push({
      type: 'Normal',
      reason: wanted.rollingBack ? 'RolledBack' : 'UpgradeCompleted',
      note: `all members run ${wanted.image}`,
    });
  }
  return [...emitted, ...(outcome?.events ?? [])];
}
