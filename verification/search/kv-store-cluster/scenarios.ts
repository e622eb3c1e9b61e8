import { pods, statefulSets } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { giveNameBack, takeName, takenLimitMs } from '../faults/taken-name.ts';
import { guardedCanary, guardedRollback, guardedUpgrade } from './guarded-scenario.ts';
import { backUpAndDelete, failingBackup, foreground, namespaceDeleted, scaleAndKeep } from './deletion-scenarios.ts';
import { forged, unsaid } from './forged-scenario.ts';
import { hooked } from './hook-scenarios.ts';
import { amidCanary, amidMigration } from './interrupted-scenarios.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { inherited, unseen } from './inherited-scenario.ts';
import { namespaceRefused } from './refused-namespace-scenario.ts';
import { requested } from './requested-scenario.ts';
import { retried } from './retried-scenario.ts';
import { scheduledDrills } from './scheduled-drills-scenario.ts';
import { scheduled } from './scheduled-scenario.ts';
import { again, mended, orphaned, skipped, unreadable } from './mended-scenarios.ts';
import { overtakenCanary } from './overtaken-canary-scenario.ts';
import { overtaken } from './overtaken-scenario.ts';
import { paused } from './paused-scenario.ts';
import { promoted, sameVersion } from './promotion.ts';
import { backups } from './backups-scenario.ts';
import { baked } from './baked-scenario.ts';
import { drained } from './drained-scenario.ts';
import { drills } from './drill-scenario.ts';
import { ended, stop } from './stop-scenario.ts';
import { turns } from './turns-scenario.ts';
import { claims, meddling, patient, rolledBack, searched, setUp } from './scenario.ts';
import { allRun, annotate, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

export {
  backUpAndDelete,
  drills,
  failingBackup,
  foreground,
  guardedUpgrade,
  hooked,
  namespaceDeleted,
  orphaned,
  paused,
  scaleAndKeep,
  stop,
};

/** Three members come up, and are replaced one after the other. */
export const upgrade = searched({
  name: 'a rolling update of three members',
  setUp: setUp(),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
  },
  isDone: (cluster) => allRun(cluster, '2.0'),
  actions: meddling,
});

/** An upgrade that never gets ready is rolled back and not tried again; then another one works. */
export const rollback: Searched = {
  livesVary: ['clock'],
  ...searched({
    name: 'an upgrade that fails, is rolled back, and is followed by another',
    setUp: setUp({ upgrade: { progressDeadline: '5m' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: 'broken' });
      await until(() => rolledBack(cluster, '1.0'));
      await change(cluster, { version: '2.0', upgrade: patient });
    },
    isDone: (cluster) => allRun(cluster, '2.0'),
    actions: meddling,
  }),
};

/** A canary passes its analysis, and the others follow one by one. */
export const canary = searched({
  name: 'a canary that passes',
  setUp: setUp({
    upgradeStrategy: 'Canary',
    port: 6379,
    canary: { bake: '1m', analysis: { http: { path: '/good' } } },
  }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
  },
  isDone: (cluster) => allRun(cluster, '2.0'),
  actions: meddling,
});

/** What a canary has failed of is taken back; or it is the first version that has run at all, where a restored etcd had lost the one before, and there is nothing to take back. */
const isTakenBack = (cluster: TestCluster, failed: string): boolean =>
  rolledBack(cluster, '1.0') || (cluster.restores.length > 0 && allRun(cluster, failed));

/** A canary answers no. */
export const badCanary = searched({
  name: 'a canary that fails',
  setUp: setUp({
    upgradeStrategy: 'Canary',
    port: 6379,
    canary: { analysis: { http: { path: '/good' }, failureThreshold: 2 } },
  }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: 'bad' });
  },
  isDone: (cluster) => isTakenBack(cluster, 'bad'),
  actions: meddling,
});

/** Answers yes as the first pod of its name that is asked, and no as every later one. */
function installFickleImage(cluster: TestCluster): void {
  const first = new Map<string, string>();
  cluster.image('my-repo/kvstore:fickle', {
    startsIn: 2_000,
    http: ({ url }, { pod, podUid }) => {
      if (url.pathname !== '/good') return 200;
      if (!first.has(pod)) first.set(pod, podUid);
      return first.get(pod) === podUid ? 200 : 500;
    },
  });
}

/** A canary passes, is replaced while it waits for its promotion, and answers no as the pod that it is then. */
export const replacedCanary: Searched = promoted({
  name: 'a canary that passes, and fails when it has been replaced',
  setUp: async (cluster) => {
    installFickleImage(cluster);
    await setUp({
      upgradeStrategy: 'Canary',
      port: 6379,
      canary: { promotion: 'Manual', analysis: { http: { path: '/good' }, failureThreshold: 2 } },
    })(cluster);
  },
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: 'fickle' });
    const isOver = () => isTakenBack(cluster, 'fickle');
    await until(() => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion' || isOver());
    if (!isOver() && cluster.objects.find(pods, 'default', 'orders-2'))
      await cluster.client()(pods).namespace('default').delete('orders-2');
  },
  isDone: (cluster) => isTakenBack(cluster, 'fickle'),
  actions: meddling,
});

/** The spec changes in the middle, to what breaks a member and on to what works, and then back. */
export const reverted = searched({
  name: 'an upgrade that is changed and reverted in the middle',
  setUp: setUp({ upgradeStrategy: 'Canary' }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => images(cluster).includes('2.0'));
    await change(cluster, { version: 'broken' });
    await until(() => images(cluster).includes('broken'));
    await change(cluster, { version: '3.0' });
    await until(() => images(cluster).includes('3.0'));
    await change(cluster, { version: '1.0' });
  },
  isDone: (cluster) => allRun(cluster, '1.0'),
  actions: meddling,
});

/** The cluster is scaled while a canary waits for its promotion, and the upgrade is aborted when the others follow. */
export const scaledAndAborted: Searched = promoted({
  name: 'a canary that is promoted, and aborted when the cluster has been scaled meanwhile',
  setUp: setUp({ upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    // Of an earlier upgrade: it promotes no other one.
    await annotate(cluster, { 'ordinal.dev/promote': '1.0' });
    await change(cluster, { version: '2.0' });
    // After a restore of etcd the first version may not be known: then no promotion is awaited.
    const awaits = () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion';
    await until(() => awaits() || allRun(cluster, '2.0'));
    await change(cluster, { replicas: 4 });
    await until(() => images(cluster).length === 4);
    await change(cluster, { replicas: 3 });
    await until(() => images(cluster).length === 3);
    // Long enough for all to be quiet: nothing but the annotation itself tells of the promotion then.
    await pass(cluster, until, 120_000);
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    await until(() => images(cluster).filter((image) => image === '2.0').length >= 2);
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
  },
  // The abort may come when all is done: then there is nothing to go back to.
  isDone: (cluster) => rolledBack(cluster, '1.0') || allRun(cluster, '2.0'),
  actions: meddling,
});

/** Volumes of members that are taken away go with them; then the cluster grows again. */
export const shrinkAndGrow = searched({
  name: 'shrinkage that deletes volumes, and growth after it',
  setUp: setUp({ scaleDown: { claims: 'Delete' } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { replicas: 1 });
    await until(() => images(cluster).length === 1 && claims(cluster).length === 1);
    await change(cluster, { replicas: 3 });
  },
  // Without meddling: a member that a user adds by hand beyond the spec, while the claim of its name goes by policy, may come before or after that.
  isDone: (cluster) => allRun(cluster, '1.0') && images(cluster).length === 3,
});

/** A user deletes the StatefulSet with its pods. */
const loseStatefulSet = (cluster: TestCluster) =>
  cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Background' });

/** The name is taken for a while; then the cluster begins with what another has backed up. It grows, and loses its StatefulSet: its data is its own by then. */
export const restore = searched({
  name: 'a cluster that begins with a restore',
  maxVirtualMs: takenLimitMs,
  setUp: async (cluster) => {
    await takeName(cluster, 'orders');
    await setUp({ restoreFrom: { backup: 'monday', job: { command: ['restore'] } } })(cluster);
  },
  drive: async (cluster, until) => {
    await giveNameBack(cluster, until, 'orders');
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { replicas: 4 });
    await until(() => allRun(cluster, '1.0') && images(cluster).length === 4);
    await loseStatefulSet(cluster);
  },
  isDone: (cluster) =>
    allRun(cluster, '1.0') && images(cluster).length === 4 && cluster.objects.list(statefulSets).length === 1,
});

/** Every scenario of KVStoreCluster. */
export const kvStoreScenarios: readonly Searched[] = [
  upgrade,
  rollback,
  canary,
  badCanary,
  replacedCanary,
  reverted,
  scaledAndAborted,
  scaleAndKeep,
  backUpAndDelete,
  foreground,
  namespaceDeleted,
  namespaceRefused,
  shrinkAndGrow,
  restore,
  turns,
  hooked,
  retried,
  stop,
  paused,
  failingBackup,
  inherited,
  unseen,
  mended,
  skipped,
  again,
  orphaned,
  unreadable,
  sameVersion,
  ended,
  baked,
  requested,
  backups,
  drills,
  scheduled,
  amidMigration,
  amidCanary,
  forged,
  unsaid,
  overtaken,
  overtakenCanary,
  scheduledDrills,
  guardedUpgrade,
  guardedCanary,
  guardedRollback,
];

/** Those that came after the others: a scenario is named by its number in the list of all. */
export const laterStoreScenarios: readonly Searched[] = [drained];
