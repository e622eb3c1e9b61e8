import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { kvStoreVolume } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { ContainerProcess, TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { clusterIsUntouched, drillsIn, leftIn, scratchesAreRemoved } from './drill-scenario.ts';
import { kvStoreInvariants } from './invariants.ts';
import { installImages, store, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { backedUp, patient, podTemplate, searched } from './scenario.ts';
import { allRun, annotate, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** What is so in one history, whatever any status says. */
interface Truth {
  /** What is stored of the backup is lost: a restore of it ends well, and restores nothing. */
  isLost: boolean;
  /** The members, by name, that have started on a volume with the data of the backup. */
  readonly restored: Set<string>;
  /** The UIDs of the scratch clusters whose check has found that data. */
  readonly good: Set<string>;
}

const truths = new WeakMap<TestCluster, Truth>();

function truthOf(cluster: TestCluster): Truth {
  const known = truths.get(cluster) ?? { isLost: false, restored: new Set(), good: new Set() };
  truths.set(cluster, known);
  return known;
}

/** The file that a restore writes. */
const copy = 'copy';

/** A member says what its volume holds; a restore writes the copy unless the backup is lost; a check looks for it. */
async function runStore(cluster: TestCluster, process: ContainerProcess): Promise<number> {
  const truth = truthOf(cluster);
  const { ORDINAL_PURPOSE: purpose, ORDINAL_CLUSTER: name = '', ORDINAL_BACKUP_NAME: backup = '' } = process.env;
  switch (purpose) {
    case undefined:
      if (process.volume(kvStoreVolume).has(copy)) truth.restored.add(process.pod);
      return new Promise<number>(() => undefined);
    case 'Restore':
      if (!truth.isLost) process.volume('claim-0').set(copy, backup);
      return 0;
    case 'RestoreDrill': {
      if (!truth.restored.has(`${name}-0`)) return 1;
      truth.good.add(cluster.objects.find(kvStoreClusters, 'default', name)?.metadata.uid ?? '');
      return 0;
    }
    default:
      process.log(`made ${backup}`);
      return 0;
  }
}

const isScheduled = ({ name }: { readonly name: string }): boolean => name.startsWith('scheduled-');

/** What the status says of drills is what has happened, and a time of the schedule has one at most. */
const drillsAreTrue: Invariant = {
  name: 'a scheduled drill is recorded as passed only where the data of the backup was restored, and made once for its time',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'kvstoreclusters.kvstore.example.com' || type === 'DELETED' || object.metadata.name !== 'orders')
      return undefined;
    const { good } = truthOf(cluster);
    const drills = drillsIn(object as KVStoreCluster); // Of this kind.
    const untrue = drills.find(({ result, clusterUID = '' }) => result === 'Succeeded' && !good.has(clusterUID));
    if (untrue) return `${untrue.name} is recorded as passed, and its copy had no data`;
    const before = drillsIn(previous as KVStoreCluster | undefined);
    const again = drills.find(
      (drill) =>
        isScheduled(drill) &&
        before.some(({ name, startedAt }) => name === drill.name && startedAt !== drill.startedAt),
    );
    return again && `${again.name} is made twice`;
  },
};

/** The names of the scheduled drills that have begun. What they say of times is said by the operator's clock, which may be an hour behind. */
const begunIn = (cluster: TestCluster): ReadonlySet<string> =>
  new Set(drillsIn(storeNow(cluster)).flatMap((drill) => (isScheduled(drill) ? [drill.name] : [])));

/** A scheduled drill that had not begun before has this result, and nothing is left of it. */
const hasEnded = (cluster: TestCluster, before: ReadonlySet<string>, result: 'Succeeded' | 'Failed'): boolean =>
  drillsIn(storeNow(cluster)).some(
    (drill) =>
      isScheduled(drill) && !before.has(drill.name) && drill.result === result && drill.finishedAt !== undefined,
  );

const job = (command: string) => ({ command: [command], image: 'my-repo/kvstore:1.0' });

/** Drills on a schedule: they pass, then the backup is lost outside, so that they fail, and when it is there again they pass. */
export const scheduledDrills: Searched = {
  // Which times have a drill depends on what is late.
  livesVary: ['crash', 'clock', 'stale', 'ambiguous', 'refuse', 'unobserved', 'outage', 'permission', 'timeTravel', 'twoLeaders', 'pod', 'node'], // prettier-ignore
  ...searched({
    name: 'restore drills on a schedule, of a backup that is lost for a while',
    setUp: async (cluster) => {
      await installImages(cluster);
      cluster.image('my-repo/kvstore:1.0', { startsIn: 2_000, run: (process) => runStore(cluster, process) });
      const drill = { restore: job('restore'), check: { ...job('check'), retries: 0 } };
      await resource(cluster).create(
        store({
          ...{ replicas: 1, upgrade: patient, podTemplate },
          backup: { job: job('backup'), onDelete: 'Skip', drill },
        }),
      );
    },
    drive: async (cluster, until) => {
      const truth = truthOf(cluster);
      await until(() => allRun(cluster, '1.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await until(() => backedUp(cluster, 'monday'));
      await change(cluster, { backup: { drill: { schedule: { cron: '*/10 * * * *' } } } });
      await until(() => hasEnded(cluster, new Set(), 'Succeeded'));
      truth.isLost = true;
      const beforeLoss = begunIn(cluster);
      await until(() => hasEnded(cluster, beforeLoss, 'Failed'));
      truth.isLost = false;
      const beforeReturn = begunIn(cluster);
      await until(() => hasEnded(cluster, beforeReturn, 'Succeeded'));
      await change(cluster, { backup: { drill: { schedule: { suspend: true } } } });
    },
    isDone: (cluster) =>
      allRun(cluster, '1.0') &&
      storeNow(cluster)?.status?.drillSchedule?.suspended === true &&
      drillsIn(storeNow(cluster)).every(({ finishedAt }) => finishedAt !== undefined) &&
      leftIn(cluster).length === 0,
  }),
  // The version before knows no pod template, and brings that to the members. A restored etcd may hold a scratch cluster again, or none.
  faults: everyFaultBut('oldVersion', 'restore'),
  oracles: [...kvStoreInvariants, scratchesAreRemoved, clusterIsUntouched, drillsAreTrue],
};
