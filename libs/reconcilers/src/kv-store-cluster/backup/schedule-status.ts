import type { Finding } from '@ordinal/client';
import type { KVStoreClusterStatus } from '@ordinal/api';
import type { BackupRecord } from './records.ts';
import type { ScheduleState } from './schedule-state.ts';

/** The type of the condition that says whether the backups of the schedule are made. */
export const backupsOnSchedule = 'BackupsOnSchedule';

/** Times are of one form, so that the text says which is later. */
const newest = (times: readonly (string | undefined)[]): string | undefined =>
  times.flatMap((time) => time ?? []).sort((a, b) => a.localeCompare(b)).at(-1); // prettier-ignore

/** What the status says of the schedule, once the ends of backups are recorded. */
export function scheduleStatus(
  state: ScheduleState | undefined,
  backups: readonly BackupRecord[],
): Pick<KVStoreClusterStatus, 'backupSchedule'> {
  if (state === undefined) return {};
  const succeeded = backups.filter(({ result }) => result === 'Succeeded').map(({ scheduledAt }) => scheduledAt);
  const lastSuccessfulAt = newest([state.lastSuccessfulAt, ...succeeded]);
  return { backupSchedule: { ...state, ...(lastSuccessfulAt === undefined ? {} : { lastSuccessfulAt }) } };
}

/** Whether the backups of the schedule are made, as a condition; undefined where there is no schedule. */
export function scheduleFinding(
  state: ScheduleState | undefined,
  backups: readonly BackupRecord[],
): Finding | undefined {
  if (state === undefined) return undefined;
  const finding = (status: 'True' | 'False', reason: string, message: string): Finding => ({
    ...{ type: backupsOnSchedule, status, reason, message },
  });
  if (state.suspended === true) return finding('False', 'Suspended', 'spec.backup.schedule.suspend is true');
  const { lastMissedAt, lastScheduledAt, missedBecause, blockedBy, nextAt } = state;
  const next = blockedBy ?? (nextAt === undefined ? '' : `the next one is due at ${nextAt}`);
  if (lastMissedAt !== undefined && newest([lastMissedAt, lastScheduledAt]) === lastMissedAt) {
    const why = missedBecause === undefined ? '' : `: ${missedBecause}`;
    return finding('False', 'BackupMissed', `that of ${lastMissedAt} was not begun in time${why}; ${next}`);
  }
  const ended = backups.filter(({ scheduledAt, result }) => scheduledAt !== undefined && result !== undefined);
  const last = ended.find(({ scheduledAt }) => scheduledAt === newest(ended.map((record) => record.scheduledAt)));
  if (last?.result === 'Failed')
    return finding('False', 'BackupFailed', `${last.name} failed: ${last.message ?? ''}; ${next}`);
  return finding('True', blockedBy === undefined ? 'AsScheduled' : 'Waiting', next);
}
