import type { Job } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { searched, setUp } from './scenario.ts';
import { allRun, annotate } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const endedIn = ({ status }: Job, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

const backupsOf = (cluster: TestCluster): readonly Job[] =>
  cluster.objects.list(jobs).filter(({ metadata }) => metadata.labels?.[purposeLabel] === 'Backup');

const days = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

const recordOf = (cluster: TestCluster, name: string) =>
  storeNow(cluster)?.status?.backups?.find((record) => record.name === name);

const hasResult = (cluster: TestCluster, name: string): boolean =>
  recordOf(cluster, name)?.result !== undefined || storeNow(cluster)?.status?.lastBackup?.name === name;

const hasBegun = (cluster: TestCluster, name: string): boolean =>
  backupsOf(cluster).some(({ metadata }) => metadata.annotations?.[subjectAnnotation] === name);

/** What a Job said outlives it, and none is kept beyond the limits. */
const backupsAreRecorded: Invariant = {
  name: 'the end of each backup is recorded, and Jobs do not pile up',
  afterChange: (cluster, { kind: of, type, object }) => {
    if (of !== 'jobs.batch' || type !== 'DELETED') return undefined;
    const job = object as Job; // Of this kind.
    const store = storeNow(cluster);
    const isOfStore =
      job.metadata.labels?.[purposeLabel] === 'Backup' && store?.metadata.deletionTimestamp === undefined;
    if (!isOfStore || store?.status?.backups === undefined || !endedIn(job, 'Complete')) return undefined;
    const record = store.status.backups.find((one) => one.job === job.metadata.name);
    return record?.result === 'Succeeded' ? undefined : `${job.metadata.name} went before its success was recorded`;
  },
  atEnd: (cluster) => {
    const open = storeNow(cluster)?.status?.backups?.filter(({ result }) => result === undefined) ?? [];
    if (open.length > 0) return `no end is recorded of ${open.map(({ name }) => name).join(', ')}`;
    const made = backupsOf(cluster);
    const kept = { succeeded: made.filter((job) => endedIn(job, 'Complete')).length, failed: made.filter((job) => endedIn(job, 'Failed')).length }; // prettier-ignore
    // The one that the status rests on stays beside those that the limits keep.
    return kept.succeeded > 4 || kept.failed > 2
      ? `${kept.succeeded} Jobs that succeeded are kept, and ${kept.failed} that failed`
      : undefined;
  },
};

/** Backups are asked for in pairs, the second while the first is at work. */
export const backups: Searched = {
  ...searched({
    name: 'backups that are asked for two at a time',
    setUp: setUp({ replicas: 2, backup: { job: { command: ['backup'] }, onDelete: 'Skip' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      for (const [index, name] of days.entries()) {
        await annotate(cluster, { 'ordinal.dev/backup': name });
        // One that is not begun when another is asked for is not made any more.
        await until(() => hasResult(cluster, name) || (index % 2 === 0 && hasBegun(cluster, name)));
      }
    },
    isDone: (cluster) =>
      allRun(cluster, '1.0') &&
      hasResult(cluster, 'eight') &&
      (storeNow(cluster)?.status?.backups ?? []).every(({ result }) => result !== undefined) &&
      backupsOf(cluster).length <= 6,
  }),
  oracles: [...kvStoreInvariants, backupsAreRecorded],
  // Which Jobs are the newest, and so are kept, is a matter of the clock.
  livesVary: ['clock'],
};
