import type { Instant, Job } from '@ordinal/client';
import { jobs as jobKind } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import { exclusiveAtWork, identityOf, hasEnded } from '@ordinal/lifecycle';
import { isExclusive, jobsOf } from '../exclusive-jobs.ts';
import type { Observation } from '../observation.ts';
import type { BackupRecord, BackupStep } from './records.ts';
import { jobOf, knownBackups } from './records.ts';

/** Whether it is the turn of a scheduled backup. */
export interface Turn {
  /** What it waits for; undefined where it may begin. */
  readonly blockedBy?: string;
  /** The backups that end for it. */
  readonly replaced: readonly BackupStep[];
}

/** What asks for its turn. */
interface Asked {
  readonly name: string;
  readonly policy: 'Allow' | 'Forbid' | 'Replace';
  /** The other steps of this reconcile. */
  readonly tasks: readonly TaskStep[];
}

/**
 * Whether a scheduled backup may begin. Pure.
 *
 * **Guarantees.** It begins beside no Job that writes, nor with one. `Forbid` waits for every other backup, `Replace` ends those of the schedule and waits until they are gone,
 * and for those that a person has asked for.
 */
export function turnOf(seen: Observation, { name, policy, tasks }: Asked, now: Instant): Turn {
  const about = tasks.filter(({ state, record }) => state === 'Running' && isExclusive(record.purpose));
  const writers = new Set([
    ...exclusiveAtWork(jobsOf(seen), now).map(nameOf),
    ...about.map(({ record }) => record.job),
  ]);
  if (writers.size > 0) return waiting(`${[...writers].join(', ')} has ended, which may write`);
  if (policy === 'Allow') return { replaced: [] };
  const asked = tasks.filter(({ state, record }) => state === 'Running' && record.purpose === 'Backup');
  const atWork = seen.jobs.filter((job) => isBackup(job) && !hasEnded(job, now));
  const names = new Set([...atWork.map(nameOf), ...asked.map(({ record }) => record.job)]);
  if (names.size === 0) return { replaced: [] };
  const wait = `${[...names].join(', ')} has ended`;
  if (policy === 'Forbid') return waiting(`${wait} (concurrencyPolicy is Forbid)`);
  const scheduled = knownBackups(seen, now).filter(({ scheduledAt, result }) => scheduledAt !== undefined && !result);
  return { ...waiting(wait), replaced: scheduled.flatMap((record) => replace(seen, record, name)) };
}

const waiting = (what: string): Turn & { readonly blockedBy: string } => ({
  blockedBy: `waiting until ${what}`,
  replaced: [],
});

const nameOf = ({ metadata }: Pick<Job, 'metadata'>): string => metadata.name;

const isBackup = ({ metadata }: Job): boolean => metadata.labels?.[purposeLabel] === 'Backup';

/** Ends a backup, as it was seen: one that has ended meanwhile counts. */
function replace(seen: Observation, record: BackupRecord, by: string): readonly BackupStep[] {
  const job = jobOf(seen, record);
  if (job === undefined) return [];
  const isGoing = job.metadata.deletionTimestamp !== undefined;
  const { uid, resourceVersion } = job.metadata;
  return [
    {
      state: 'Running',
      record: { purpose: 'Backup', subject: record.name, job: record.job },
      listed: { ...record, jobUID: uid, message: `replaced by ${by}` },
      actions: isGoing
        ? []
        : [
            {
              kind: 'delete',
              descriptor: jobKind,
              target: identityOf(job),
              resourceVersion,
              propagation: 'Foreground',
              because: `the backup ${by} is due, and concurrencyPolicy is Replace`,
            },
          ],
    },
  ];
}
