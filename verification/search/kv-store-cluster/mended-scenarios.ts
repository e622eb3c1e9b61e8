import type { Job, Pod } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import {
  images,
  kvStoreCluster,
  store,
  storeNow,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import {
  backedUp,
  claims,
  lostClaims,
  meddling,
  patient,
  podTemplate,
  rolledBack,
  searched,
  setUp,
} from './scenario.ts';
import { allRun, annotate, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const short = { progressDeadline: '5m' } as const;

/** No node has such a disk. */
const nowhere = { ...podTemplate, spec: { nodeSelector: { disk: 'none' } } } as const;

/** What never ran is corrected; then what is merged over the pods is wrong, and is corrected without another version. */
export const mended: Searched = {
  livesVary: ['clock'],
  ...searched({
    name: 'a cluster that is created wrong, and a template that is wrong, each corrected',
    setUp: setUp({ version: 'broken', upgradeStrategy: 'Canary' }),
    drive: async (cluster, until) => {
      await until(() => images(cluster).includes('broken'));
      await pass(cluster, until, 60_000);
      await change(cluster, { version: '1.0' });
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { podTemplate: nowhere, upgrade: short });
      await until(() => rolledBack(cluster, '1.0'));
      const metadata = { annotations: { team: 'data' } };
      await change(cluster, { podTemplate: { metadata, spec: null }, upgrade: patient });
    },
    isDone: (cluster) => allRun(cluster, '1.0') && storeNow(cluster)?.status?.upgrade === undefined,
    actions: meddling,
  }),
};

/** Backups are made when a user asks for one, also when an upgrade has failed; none at the end: the volumes stay. */
export const skipped: Searched = {
  livesVary: ['clock'],
  ...searched({
    name: 'backups beside an upgrade that fails, and a deletion without one',
    setUp: setUp({ upgrade: short, backup: { job: { command: ['backup'] }, onDelete: 'Skip' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await until(() => backedUp(cluster, 'monday'));
      await change(cluster, { version: 'broken' });
      await until(() => rolledBack(cluster, '1.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'tuesday' });
      await until(() => backedUp(cluster, 'tuesday'));
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
    leaks: (cluster) => lostClaims(cluster, 3),
    actions: meddling,
  }),
};

const kept = { backup: { job: { command: ['backup'] } }, deletionPolicy: 'Retain' } as const;

const makeAgain = (cluster: TestCluster, spec: Parameters<typeof store>[0]) =>
  resource(cluster).create(store({ upgrade: patient, podTemplate, ...spec }));

/** A cluster goes, with a final backup, and its volumes stay. It is made again from its manifest, and a backup asked for that has the name of one of before. */
export const again = searched({
  name: 'a cluster that is deleted and made again, with a backup of the same name',
  setUp: setUp(kept),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(() => backedUp(cluster, 'monday'));
    await resource(cluster).delete('orders');
    await until(() => storeNow(cluster) === undefined);
    await makeAgain(cluster, kept);
    await until(() => allRun(cluster, '1.0'));
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  },
  isDone: (cluster) => allRun(cluster, '1.0') && backedUp(cluster, 'monday'),
  actions: meddling,
});

/** Only the operator and what it asks for delete members. */
const membersAreKept: Invariant = {
  name: 'an orphaning deletion leaves the members (I12)',
  afterChange: (_cluster, { kind, type, object }) =>
    kind === 'pods' && type === 'DELETED' && /^orders-\d+$/.test(object.metadata.name)
      ? `${object.metadata.name} has gone`
      : undefined,
};

/** A cluster is deleted and its members stay, and serve; one that is made again takes them back. */
export const orphaned: Searched = {
  ...searched({
    name: 'a deletion that leaves the members, which another cluster takes back',
    setUp: setUp({ deletionPolicy: 'Delete' }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await resource(cluster).delete('orders', { propagationPolicy: 'Orphan' });
      await until(() => storeNow(cluster) === undefined);
      await pass(cluster, until, 30_000);
      await makeAgain(cluster, {});
    },
    isDone: (cluster) => allRun(cluster, '1.0') && images(cluster).length === 3,
    leaks: (cluster) => (claims(cluster).length === 3 ? [] : [`claims: ${claims(cluster).join(', ')}`]),
  }),
  oracles: [...kvStoreInvariants, membersAreKept],
  // These take members down by themselves, and an older operator wants others.
  faults: everyFaultBut('pod', 'node', 'oldVersion'),
};

/** The node that Jobs run on, and no member. */
const far = 'node-4';

const isOfBackup = ({ metadata }: Pick<Job, 'metadata'>): boolean => metadata.labels?.[purposeLabel] === 'Backup';

/**
 * When the pod of a backup has ended, its node stops reporting, as long as the pod is shown as ended. Where etcd is restored to before that, the node comes back: nothing else
 * can run the pod, and a Job does not end while its pod is on a node that is lost.
 */
function loseNodeAfterBackup(cluster: TestCluster): void {
  let isLost = false;
  cluster.server.store.subscribe(({ kind, after, deleted }) => {
    if (kind !== 'pods' || deleted) return;
    const pod = after as unknown as Pod; // Of kind pods.
    if (!isOfBackup(pod)) return;
    const isOver = pod.status?.phase === 'Succeeded';
    if (isOver === isLost) return;
    isLost = isOver;
    if (isOver) cluster.node(far).fail('partition');
    // Its kubelet writes when it comes back: after this change, and after all changes of a restore.
    else cluster.scheduler.schedule(1, 'network', () => !isLost && cluster.node(far).recover());
  });
}

/** What the Job of a backup has printed can't be read, as long as its pod is there: the backup counts all the same, and an upgrade after it goes on. */
export const unreadable = searched({
  name: 'a backup whose log can not be read, and an upgrade after it',
  cluster: { ...kvStoreCluster, nodes: 4 },
  setUp: async (cluster) => {
    loseNodeAfterBackup(cluster);
    const key = 'kubernetes.io/hostname';
    const terms = [{ matchExpressions: [{ key, operator: 'NotIn', values: [far] }] }] as const;
    const required = { nodeSelectorTerms: terms };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    await setUp({
      podTemplate: { ...podTemplate, spec: { affinity } },
      backup: { job: { command: ['backup'] } },
      jobs: { podTemplate: { spec: { nodeSelector: { [key]: far }, tolerations: [{ operator: 'Exists' }] } } },
    })(cluster);
  },
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(() => backedUp(cluster, 'monday'));
    await change(cluster, { version: '2.0' });
  },
  isDone: (cluster) => allRun(cluster, '2.0'),
  actions: meddling,
});
