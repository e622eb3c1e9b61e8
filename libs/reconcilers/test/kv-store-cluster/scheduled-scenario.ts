import type { Job } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Invariant, SimulatedCluster } from '@ordinal/testing';
import type { Searched } from '../search/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from './kv-store-world.ts';
import { allRun, change, searched, setUp } from './scenario.ts';

const minute = 60_000;

const made = new WeakMap<SimulatedCluster, Map<string, string>>();

/** The Jobs of scheduled backups that were made, by name of the backup: their UIDs. */
function madeIn(cluster: SimulatedCluster): Map<string, string> {
  const known = made.get(cluster) ?? new Map<string, string>();
  made.set(cluster, known);
  return known;
}

const backupsOf = (cluster: SimulatedCluster) => storeNow(cluster)?.status?.backups ?? [];

const succeeded = (cluster: SimulatedCluster) =>
  backupsOf(cluster).filter(({ scheduledAt, result }) => scheduledAt !== undefined && result === 'Succeeded');

/** Names are made of times, so that the later one is the greater. */
const isNewest = (cluster: SimulatedCluster, name: string): boolean =>
  succeeded(cluster).every((record) => record.name <= name);

const schedules: Invariant = {
  name: 'a time of the schedule has one backup at most, none is skipped in silence, and the newest success stays',
  afterChange: (cluster, { kind, type, object }) => {
    if (kind !== 'jobs.batch' || type !== 'ADDED') return undefined;
    const { labels, annotations, uid } = (object as Job).metadata; // Of this kind.
    const subject = annotations?.[subjectAnnotation] ?? '';
    if (labels?.[purposeLabel] === 'Prune' && isNewest(cluster, subject)) return `${subject} is pruned, the newest one`;
    if (labels?.[purposeLabel] !== 'Backup') return undefined;
    const known = madeIn(cluster).get(subject);
    if (known !== undefined && known !== uid) return `${subject} is made twice`;
    madeIn(cluster).set(subject, uid);
    return undefined;
  },
  atEnd: (cluster) => {
    const { lastScheduledAt = '', lastMissedAt = '', since = '' } = storeNow(cluster)?.status?.backupSchedule ?? {};
    const unlisted = [...madeIn(cluster).keys()].sort().slice(-2);
    const lost = unlisted.filter((name) => !backupsOf(cluster).some((record) => record.name === name));
    if (lost.length > 0) return `of ${lost.join(', ')}, which retention keeps, nothing stands in the status`;
    const settled = Math.max(...[lastScheduledAt, lastMissedAt, since].map((time) => Date.parse(time) || 0));
    const newest = Math.floor((suspendedAt.get(cluster) ?? 0) / (10 * minute)) * 10 * minute;
    // By a clock that was set back by an hour all times are as much earlier.
    const isSetBack = settled + 60 * minute >= newest && settled + 50 * minute < newest;
    if (settled >= newest || isSetBack) return undefined;
    return `what was due at ${new Date(newest).toISOString()} was neither begun nor reported`;
  },
};

/** When the schedule was suspended, well after a time of it. */
const suspendedAt = new WeakMap<SimulatedCluster, number>();

/** Backups are made each ten minutes, two are kept, and in the end the schedule is suspended. */
export const scheduled: Searched = {
  // Which times have a backup depends on what is late.
  livesVary: ['crash', 'clock', 'stale', 'ambiguous', 'refuse', 'unobserved', 'outage', 'permission'],
  ...searched({
    name: 'backups on a schedule, of which two are kept',
    setUp: setUp({
      replicas: 1,
      backup: {
        job: { command: ['backup'] },
        onDelete: 'Skip',
        schedule: { cron: '*/10 * * * *' },
        retention: { count: 2 },
        prune: { command: ['prune'] },
      },
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await until(() => madeIn(cluster).size >= 4 && cluster.clock.now() % (10 * minute) > 7 * minute);
      suspendedAt.set(cluster, cluster.clock.now());
      await change(cluster, { backup: { schedule: { suspend: true } } });
    },
    isDone: (cluster) =>
      allRun(cluster, '1.0') &&
      storeNow(cluster)?.status?.backupSchedule?.suspended === true &&
      backupsOf(cluster).every(({ result }) => result !== undefined) &&
      succeeded(cluster).length <= 2,
  }),
  faults: ['crash', 'ambiguous', 'refuse', 'stale', 'unobserved', 'pod', 'outage', 'clock', 'permission', 'twoLeaders'],
  oracles: [...kvStoreInvariants, schedules],
};
