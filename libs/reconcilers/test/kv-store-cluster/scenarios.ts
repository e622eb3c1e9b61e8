import { kvStoreClusters } from '@ordinal/api';
import { jobs, persistentVolumeClaims, pods, services, statefulSets } from '@ordinal/client';
import type { Scenario, SimulatedCluster } from '@ordinal/testing';
import { everyFault } from '../search/faults.ts';
import type { Searched } from '../search/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import {
  images,
  installImages,
  kvStoreCluster,
  kvStoreOperator,
  olderKVStoreOperator,
  store,
  storeNow,
} from './kv-store-world.ts';

const resource = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('default');
const change = (cluster: SimulatedCluster, spec: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { spec } });

const annotate = (cluster: SimulatedCluster, annotations: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });

const allRun = (cluster: SimulatedCluster, version: string): boolean =>
  storeNow(cluster)?.status?.phase === 'Ready' &&
  storeNow(cluster)?.status?.currentVersion === version &&
  images(cluster).every((image) => image === version);

const rolledBack = (cluster: SimulatedCluster, version: string): boolean =>
  storeNow(cluster)?.status?.phase === 'Failed' &&
  storeNow(cluster)?.status?.readyReplicas === 3 &&
  images(cluster).length === 3 &&
  images(cluster).every((image) => image === version);

/** Where a history is, for counting how many states faults have met. */
function stateOf(cluster: SimulatedCluster): string {
  const status = storeNow(cluster)?.status;
  const each = cluster.objects
    .list(pods, 'default')
    .map(
      ({ metadata, spec, status: pod }) =>
        `${metadata.name}${spec.containers[0]?.image ?? ''}${pod?.phase ?? ''}${metadata.deletionTimestamp === undefined ? '' : 'x'}`,
    );
  const set = cluster.objects.find(statefulSets, 'default', 'orders')?.spec;
  return [
    status?.phase,
    status?.upgrade?.step,
    set?.replicas,
    set?.updateStrategy?.rollingUpdate?.partition,
    ...each,
  ].join(' ');
}

const common = {
  cluster: kvStoreCluster,
  operator: kvStoreOperator,
  olderVersion: olderKVStoreOperator,
  stateOf,
} as const;

/** What users may do at any moment without changing where it all ends. */
const meddling: NonNullable<Scenario['actions']> = {
  'scale the StatefulSet to five': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').scale.update('orders', 5);
  },
  'delete the StatefulSet, and leave its pods': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
  },
  'set the partition of the StatefulSet to three': async (cluster) => {
    if (!cluster.objects.find(statefulSets, 'default', 'orders')) return;
    const body = { spec: { updateStrategy: { rollingUpdate: { partition: 3 } } } };
    await cluster.client()(statefulSets).namespace('default').patch('orders', { type: 'merge', body });
  },
};

/** A field that the older operator does not know: it wants other members. */
const podTemplate = { metadata: { annotations: { team: 'storage' } } } as const;

/** Longer than a clock is ever set forward: where an upgrade is to succeed, a wrong clock must not make it fail. */
const patient = { progressDeadline: '6h' } as const;

const setUp =
  (spec: Parameters<typeof store>[0] = {}) =>
  async (cluster: SimulatedCluster): Promise<void> => {
    await installImages(cluster);
    await resource(cluster).create(store({ upgrade: patient, podTemplate, ...spec }));
  };

const searched = (scenario: Omit<Scenario, keyof typeof common>): Searched => ({
  oracles: kvStoreInvariants,
  faults: everyFault,
  scenario: { ...common, ...scenario },
});

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
  isDone: (cluster) => rolledBack(cluster, '1.0'),
  actions: meddling,
});

/** The spec changes in the middle, and then back. */
export const reverted = searched({
  name: 'an upgrade that is changed and reverted in the middle',
  setUp: setUp({ upgradeStrategy: 'Canary' }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => images(cluster).includes('2.0'));
    await change(cluster, { version: 'broken' });
    await until(() => images(cluster).includes('broken'));
    await change(cluster, { version: '1.0' });
  },
  isDone: (cluster) => allRun(cluster, '1.0'),
  actions: meddling,
});

/** The cluster is scaled while a canary waits for its promotion, and the upgrade is aborted when the others follow. */
export const scaledAndAborted = searched({
  name: 'a canary that is promoted, and aborted when the cluster has been scaled meanwhile',
  setUp: setUp({ upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
    await change(cluster, { replicas: 4 });
    await until(() => images(cluster).length === 4);
    await change(cluster, { replicas: 3 });
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    await until(() => images(cluster).filter((image) => image === '2.0').length >= 2);
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
  },
  // The abort may come when all is done: then there is nothing to go back to.
  isDone: (cluster) => rolledBack(cluster, '1.0') || allRun(cluster, '2.0'),
  actions: meddling,
});

/** What users and others may take away while a cluster is being deleted. */
const tidying: NonNullable<Scenario['actions']> = {
  ...meddling,
  'delete the StatefulSet, with its pods': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Background' });
  },
  'delete the Services': async (cluster) => {
    for (const { metadata } of cluster.objects.list(services, 'default'))
      await cluster.client()(services).namespace('default').delete(metadata.name);
  },
  'delete the Jobs that have ended': async (cluster) => {
    for (const { metadata, status } of cluster.objects.list(jobs, 'default'))
      if (status?.completionTime !== undefined)
        await cluster.client()(jobs).namespace('default').delete(metadata.name, { propagationPolicy: 'Background' });
  },
};

const claims = (cluster: SimulatedCluster): readonly string[] =>
  cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);

/** The cluster grows, shrinks, its volumes grow, and it is deleted without a backup: the volumes stay. */
export const scaleAndKeep = searched({
  name: 'growth, shrinkage, and a deletion that keeps the volumes',
  setUp: setUp({ replicas: 1 }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { replicas: 3, storage: { size: '20Gi' } });
    await until(() => images(cluster).length === 3 && allRun(cluster, '1.0'));
    await change(cluster, { replicas: 2 });
    await until(() => images(cluster).length === 2 && allRun(cluster, '1.0'));
    await resource(cluster).delete('orders');
  },
  isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
  // Somebody who scales the StatefulSet by hand makes more of them; those stay too.
  leaks: (cluster) =>
    [0, 1, 2].every((ordinal) => claims(cluster).includes(`data-orders-${ordinal}`))
      ? []
      : [`claims: ${claims(cluster).join(', ')}`],
  actions: meddling,
});

/** A final backup is made, then everything goes. */
export const backUpAndDelete = searched({
  name: 'a deletion with a final backup',
  setUp: setUp({ replicas: 2, backup: { job: { command: ['backup'] } } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await resource(cluster).delete('orders');
  },
  isDone: (cluster) => storeNow(cluster) === undefined,
  leaks: (cluster) => claims(cluster),
  actions: tidying,
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
  // Without meddling: a member that somebody adds by hand beyond the spec, while the claim of its name goes by policy, may come before or after that.
  isDone: (cluster) => allRun(cluster, '1.0') && images(cluster).length === 3,
});

/** The cluster begins with what another has backed up. */
export const restore = searched({
  name: 'a cluster that begins with a restore',
  setUp: setUp({ restoreFrom: { backup: 'monday', job: { command: ['restore'] } } }),
  isDone: (cluster) => allRun(cluster, '1.0'),
});

/** Every scenario of KVStoreCluster. */
export const kvStoreScenarios: readonly Searched[] = [
  upgrade,
  rollback,
  canary,
  badCanary,
  reverted,
  scaledAndAborted,
  scaleAndKeep,
  backUpAndDelete,
  shrinkAndGrow,
  restore,
];
