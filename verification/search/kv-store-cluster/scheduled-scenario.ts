import type { Job } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const minute = 60_000;

/** The Job of a backup that was made. */
interface Made {
  readonly uid: string;
  /** When, by the clock of the world. */
  readonly at: number;
  readonly hasSucceeded: boolean;
}

/** What was done, by the Jobs alone: by name of the backup, in the order in which they were made. */
interface Done {
  readonly made: Map<string, Made>;
  readonly pruned: Set<string>;
}

const done = new WeakMap<TestCluster, Done>();

function doneIn(cluster: TestCluster): Done {
  const known = done.get(cluster) ?? { made: new Map<string, Made>(), pruned: new Set<string>() };
  done.set(cluster, known);
  return known;
}

const isComplete = ({ status }: Job): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Complete' && condition.status === 'True') ?? false;

/** The backups that have succeeded and were not pruned, the newest one last. */
const keptIn = (cluster: TestCluster): readonly string[] => {
  const { made, pruned } = doneIn(cluster);
  return [...made].flatMap(([name, { hasSucceeded }]) => (hasSucceeded && !pruned.has(name) ? [name] : []));
};

/** Whether a clock that was set back has made a backup of an earlier time since: this one is of no time of the schedule any more, and stays. Names are made of times. */
const isAhead = (cluster: TestCluster, name: string): boolean => {
  const names = [...doneIn(cluster).made.keys()];
  return names.slice(names.indexOf(name)).some((later) => later < name);
};

const backupsOf = (cluster: TestCluster) => storeNow(cluster)?.status?.backups ?? [];

/** Whether the backup is of no time of the schedule any more since a clock that was set back has shown a time before it: its record says so, and it stays. */
const isOfNoTime = (cluster: TestCluster, name: string): boolean =>
  cluster.trace.entries.some(({ actor, subject }) => actor === 'fault' && subject.includes('clock is set by -')) &&
  backupsOf(cluster).some((record) => record.name === name && record.scheduledAt === undefined);

/** What is wrong with a Job that was made or has changed. */
function wrongWith(cluster: TestCluster, type: string, job: Job): string | undefined {
  const { made, pruned } = doneIn(cluster);
  const { labels, annotations, uid } = job.metadata;
  const subject = annotations?.[subjectAnnotation] ?? '';
  if (labels?.[purposeLabel] === 'Prune') {
    const isNewest = keptIn(cluster).at(-1) === subject;
    if (type === 'ADDED' && isNewest) return `${subject} is pruned, the newest one`;
    if (isComplete(job)) pruned.add(subject);
  }
  if (labels?.[purposeLabel] !== 'Backup') return undefined;
  const known = made.get(subject) ?? { uid, at: cluster.clock.now(), hasSucceeded: false };
  if (known.uid !== uid) return `${subject} is made twice`;
  made.set(subject, { ...known, hasSucceeded: known.hasSucceeded || isComplete(job) });
  return undefined;
}

const schedules: Invariant = {
  name: 'a time of the schedule has one backup at most, none is skipped in silence, and the newest success stays',
  afterChange: (cluster, { kind, type, object }) =>
    kind === 'jobs.batch' && type !== 'DELETED' ? wrongWith(cluster, type, object as Job) : undefined, // Of this kind.
  atEnd: (cluster) => {
    const { made } = doneIn(cluster);
    const listed = backupsOf(cluster);
    const lost = [...made.keys()].slice(-2).filter((name) => !listed.some((record) => record.name === name));
    if (lost.length > 0) return `of ${lost.join(', ')}, which retention keeps, nothing stands in the status`;
    const untrue = listed.find(
      ({ name, result }) => (result === 'Succeeded') !== (made.get(name)?.hasSucceeded === true),
    );
    if (untrue) return `the result of ${untrue.name} is ${untrue.result ?? 'none'}, and its Job tells another`;
    const newest = Math.floor((suspendedAt.get(cluster) ?? 0) / (10 * minute)) * 10 * minute;
    if ([...made.values()].some(({ at }) => at >= newest)) return undefined;
    // What was not begun has to be reported: that alone stands in the status.
    const { lastMissedAt = '', since = '' } = storeNow(cluster)?.status?.backupSchedule ?? {};
    const reported = Math.max(...[lastMissedAt, since].map((time) => Date.parse(time) || 0));
    // By a clock that was set back by an hour all times are as much earlier.
    const isSetBack = reported + 60 * minute >= newest && reported + 50 * minute < newest;
    if (reported >= newest || isSetBack) return undefined;
    return `what was due at ${new Date(newest).toISOString()} was neither begun nor reported`;
  },
};

/** When the schedule was suspended, well after a time of it. */
const suspendedAt = new WeakMap<TestCluster, number>();

/** Backups are made each ten minutes, two are kept, and in the end the schedule is suspended. */
export const scheduled: Searched = {
  // Which times have a backup depends on what is late.
  livesVary: everyFaultBut('pod', 'user', 'mistake', 'restore'),
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
      await until(() => doneIn(cluster).made.size >= 4 && cluster.clock.now() % (10 * minute) > 7 * minute);
      suspendedAt.set(cluster, cluster.clock.now());
      await change(cluster, { backup: { schedule: { suspend: true } } });
    },
    isDone: (cluster) =>
      allRun(cluster, '1.0') &&
      storeNow(cluster)?.status?.backupSchedule?.suspended === true &&
      backupsOf(cluster).every(({ result }) => result !== undefined) &&
      keptIn(cluster).filter((name) => !isAhead(cluster, name) && !isOfNoTime(cluster, name)).length <= 2,
  }),
  // Backups of the part of the history that is lost with a restore of etcd are made again.
  faults: everyFaultBut('restore'),
  oracles: [...kvStoreInvariants, schedules],
};
